package place

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/hunktext"
)

// TestPlacing places hunks, each given as its lines: "@@ anchor" begins one (or
// adds an anchor), "@12" is its line number, "$" the end of the file.
func TestPlacing(t *testing.T) {
	twins := "class A:\n    def m(self):\n        return 1\n\nclass B(object):\n    def m(self):\n        return 1\n\nclass C:\n    def m(self):\n        return 1\n"
	kv := "k\nv\nk\nv\nk\nv\n"
	for name, test := range map[string]struct {
		doc, hunks, want string // want is the text, or the kind of the error
		how              Options
	}{
		"tabs for blanks, the first context line off":           {doc: "func f() {\n\tx := 1\n\ty := 2\n}\n", hunks: "      x := 1\n-    y := 2\n+    y := 3\n", want: "func f() {\n\tx := 1\n\ty := 3\n}\n"},
		"only what is new is inserted":                          {doc: "\t\tif x {\n\t\t\ty()\n\t\t}\n", hunks: " if x {\n-    y()\n+    y()\n+    z()\n }\n", want: "\t\tif x {\n\t\t\ty()\n\t\t\tz()\n\t\t}\n"},
		"four blanks for two":                                   {doc: "def f():\n  if x:\n    a()\n    b()\n", hunks: " def f():\n     if x:\n         a()\n+        c()\n         b()\n", want: "def f():\n  if x:\n    a()\n    c()\n    b()\n"},
		"blanks of context stay":                                {doc: "alpha  \nbeta\t\ngamma \n", hunks: " alpha\n-beta\n+BETA\n gamma\n", want: "alpha  \nBETA\ngamma \n"},
		"look-alikes of context stay":                           {doc: "# “hi” — it’s\u00a0ok\nx = 1\n", hunks: " # \"hi\" - it's ok\n-x = 1\n+x = 2\n", want: "# “hi” — it’s\u00a0ok\nx = 2\n"},
		"unseen characters of context stay":                     {doc: "a\u200bb\nwait…\nco\u00adop\nx = 1\n", hunks: " ab\n wait...\n coop\n-x = 1\n+x = 2\n", want: "a\u200bb\nwait…\nco\u00adop\nx = 2\n"},
		"unseen characters of a changed line stay":              {doc: "a\u200bb = 1\ny\n", hunks: "-ab = 1\n+ab = 2\n y\n", want: "a\u200bb = 2\ny\n"},
		"each line its own end":                                 {doc: "a\r\nb\nc\r\nd\n", hunks: " a\n-b\n+B\n c\n", want: "a\r\nB\nc\r\nd\n"},
		"a lone CR is a character":                              {doc: "a\rb\nc\n", hunks: "-c\n+C\n", want: "a\rb\nC\n"},
		"no final newline, elsewhere":                           {doc: "a\nb", hunks: "-a\n+A\n", want: "A\nb"},
		"no final newline, there":                               {doc: "a\nb", hunks: "-b\n+B\n", want: "a\nB"},
		"the last of two at the end":                            {doc: "x\nend\ny\nend\n", hunks: "-end\n+END\n$", want: "x\nend\ny\nEND\n"},
		"the end does not rule out the only one":                {doc: "x\nend\ny\n", hunks: "-end\n+END\n$", want: "x\nEND\ny\n"},
		"appended at the end":                                   {doc: "a\nb\n", hunks: "+c\n$", want: "a\nb\nc\n"},
		"one anchor":                                            {doc: twins, hunks: "@@ class B(object):\n     def m(self):\n-        return 1\n+        return 2\n", want: strings.Replace(twins, "class B(object):\n    def m(self):\n        return 1", "class B(object):\n    def m(self):\n        return 2", 1)},
		"stacked anchors":                                       {doc: twins, hunks: "@@ class B(object):\n@@ def m(self):\n-        return 1\n+        return 2\n", want: strings.Replace(twins, "class B(object):\n    def m(self):\n        return 1", "class B(object):\n    def m(self):\n        return 2", 1)},
		"a prefix of an anchor":                                 {doc: twins, hunks: "@@ class B\n@@ def m\n-        return 1\n+        return 2\n", want: strings.Replace(twins, "class B(object):\n    def m(self):\n        return 1", "class B(object):\n    def m(self):\n        return 2", 1)},
		"no prefix within a word":                               {doc: "classy()\nx = 1\nx = 1\n", hunks: "@@ class\n-x = 1\n+x = 2\n", want: "anchor_not_found"},
		"no such anchor, one place":                             {doc: "a\nb\nc\n", hunks: "@@ nowhere\n-b\n+B\n", want: "a\nB\nc\n"},
		"no such anchor, two places":                            {doc: "a\nb\nb\n", hunks: "@@ nowhere\n-b\n+B\n", want: "anchor_not_found"},
		"the anchor is the first context line":                  {doc: "def f():\n    x = 1\n", hunks: "@@ def f():\n def f():\n-    x = 1\n+    x = 2\n", want: "def f():\n    x = 2\n"},
		"the anchor is the line that goes":                      {doc: "alpha\nbeta\nalpha\n", hunks: "@@ alpha\n-alpha\n+ALPHA\n", want: "context_ambiguous"},
		"several below an anchor":                               {doc: "h\n    x\n    y\n    x\n", hunks: "@@ h\n-    x\n+    z\n", want: "context_ambiguous"},
		"inserted below an anchor":                              {doc: "one\ntwo\nthree\n", hunks: "@@ one\n+INS\n", want: "one\nINS\ntwo\nthree\n"},
		"two inserted below anchors":                            {doc: "a\nm\nb\nn\n", hunks: "@@ a\n+X\n@@ b\n+Y\n", want: "a\nX\nm\nb\nY\nn\n"},
		"an anchor that is there twice":                         {doc: "a\nm\na\nn\n", hunks: "@@ a\n+X\n", want: "context_ambiguous"},
		"added at the end without context":                      {doc: "one\ntwo\n", hunks: "+three\n", want: "one\ntwo\nthree\n"},
		"added to nothing":                                      {doc: "", hunks: "+one\n", want: "one\n"},
		"three places":                                          {doc: kv, hunks: " k\n-v\n+V\n", want: "context_ambiguous"},
		"three places, the first counts":                        {doc: kv, hunks: " k\n-v\n+V\n", want: "k\nV\nk\nv\nk\nv\n", how: Options{First: true}},
		"the same twice":                                        {doc: kv, hunks: " k\n-v\n+V\n@@\n k\n-v\n+V\n", want: "context_ambiguous"},
		"the same three times":                                  {doc: kv, hunks: " k\n-v\n+V\n@@\n k\n-v\n+V\n@@\n k\n-v\n+V\n", want: "k\nV\nk\nV\nk\nV\n"},
		"a place that a later hunk deletes is none":             {doc: ";\n)\n;\n{\n", hunks: " ;\n+=\n@@\n+{\n {\n@@\n-;\n-)\n", want: ";\n=\n{\n{\n"},
		"a place that an earlier hunk deletes is none":          {doc: ";\n)\n;\n{\n", hunks: "-;\n-)\n@@\n ;\n+=\n@@\n+{\n {\n", want: ";\n=\n{\n{\n"},
		"the place that is left is in no order":                 {doc: "a\nx\na\ny\n", hunks: "-a\n+A\n@@\n-a\n+b\n x\n", want: "context_ambiguous"},
		"a place that the hunk before changes is none":          {doc: "a\nx\na\ny\n", hunks: "-a\n+b\n x\n@@\n-a\n+A\n", want: "b\nx\nA\ny\n"},
		"two places that a later hunk does not change":          {doc: "a\nx\na\ny\na\n", hunks: "-a\n+A\n@@\n-a\n+b\n x\n", want: "context_ambiguous"},
		"a place is not taken by context":                       {doc: "a\nx\na\ny\n", hunks: "-a\n+A\n@@\n a\n-x\n+b\n", want: "A\nb\na\ny\n"},
		"a place between two lines of which a hunk deletes one": {doc: "a\nx\na\ny\n", hunks: " a\n+i\n@@\n a\n-x\n", want: "a\ni\na\ny\n"},
		"the number names a place that is taken":                {doc: "a\nx\na\ny\n", hunks: "@1\n-a\n+A\n@@\n-a\n+b\n x\n", want: "context_not_found"},
		"the number decides":                                    {doc: kv + "z\n", hunks: "@3\n k\n-v\n+V\n", want: "k\nv\nk\nV\nk\nv\nz\n"},
		"the number against the end, which git takes":           {doc: kv, hunks: "@3\n k\n-v\n+V\n", want: "context_ambiguous"},
		"the number is near":                                    {doc: "x\n" + kv, hunks: "@3\n k\n-v\n+V\n k\n", want: "context_ambiguous"},
		"the number is nearer":                                  {doc: "x\nx\n" + kv, hunks: "@4\n k\n-v\n+V\n k\n", want: "context_ambiguous"},
		"the number is nearest":                                 {doc: "x\nx\nx\n" + kv, hunks: "@3\n k\n-v\n+V\n k\n", want: "x\nx\nx\nk\nV\nk\nv\nk\nv\n"},
		"between two that are told":                             {doc: "x\na\nx\nb\nx\n", hunks: "-a\n+A\n@@\n-x\n+X\n@@\n-b\n+B\n", want: "x\nA\nX\nB\nx\n"},
		"after one that is told, still two":                     {doc: "a\nx\nx\n", hunks: "-a\n+A\n@@\n-x\n+X\n", want: "context_ambiguous"},
		"twins that differ in indentation":                      {doc: "  x = 1\ny\n      x = 1\n", hunks: "-x = 1\n+x = 2\n", want: "context_ambiguous"},
		"exact before loose":                                    {doc: "  x = 1\nx = 1\n", hunks: "-x = 1\n+x = 2\n", want: "  x = 1\nx = 2\n"},
		"not in order":                                          {doc: "a\nb\nc\nd\ne\n", hunks: "-d\n+D\n@@\n-b\n+B\n", want: "a\nB\nc\nD\ne\n"},
		"context that is shared":                                {doc: "a\nb\nc\nd\ne\n", hunks: " a\n-b\n+B\n c\n@@\n c\n-d\n+D\n e\n", want: "a\nB\nc\nD\ne\n"},
		"context that the first one makes":                      {doc: "a\nb\nc\n", hunks: " a\n-b\n+B1\n+B2\n@@\n B2\n-c\n+C\n", want: "a\nB1\nB2\nC\n"},
		"one after the other":                                   {doc: "a = 1\n", hunks: "-a = 1\n+a = 2\n@@\n-a = 2\n+a = 3\n", want: "a = 3\n"},
		"unique when the first one is done":                     {doc: "begin\nx = 1\nx = 1\n", hunks: " begin\n-x = 1\n+x = 2\n@@\n-x = 1\n+x = 3\n", want: "begin\nx = 2\nx = 3\n"},
		"another text":                                          {doc: "a=2\n", hunks: "-a=1\n+a=3\n", want: "context_not_found"},
		"other lines in between":                                {doc: "x1\nTOTALLY\nDIFFERENT\nkeep\n", hunks: " x2\n-foo\n-bar\n+NEW\n", want: "context_not_found"},
		"in place":                                              {doc: "a\nB and more\nc\n", hunks: " a\n-b\n+B and more\n c\n", want: "already_applied"},
		"one in place, one not":                                 {doc: "a\nB and more\nc\nd\n", hunks: " a\n-b\n+B and more\n c\n@@\n-d\n+D\n", want: "a\nB and more\nc\nD\n"},
		"an insertion in place":                                 {doc: "a line\nan added line\n", hunks: " a line\n+an added line\n", want: "already_applied"},
		"an insertion above in place":                           {doc: "an added line\na line\n", hunks: "+an added line\n a line\n", want: "already_applied"},
		"in place, quoted loosely":                              {doc: "if x:\n\talpha()\n\tbeta and more()\n", hunks: "     alpha()\n-    beta()\n+    beta and more()\n", want: "already_applied"},
		"in place below its anchor, and not above":              {doc: strings.Replace(twins, "    def m(self):\n        return 1\n\nclass C", "    def m(self):\n        return 2\n\nclass C", 1), hunks: "@@ class B\n     def m(self):\n-        return 1\n+        return 2\n", want: "already_applied"},
		"above its anchor alone":                                {doc: "x = 1\nclass B:\n    y = 1\n", hunks: "@@ class B:\n-x = 1\n+x = 2\n", want: "context_not_found"},
		"loosely below what its anchor names":                   {doc: "class B:\n    y = 1\nclass C:\n\tx = 1\n", hunks: "@@ class B:\n-    x = 1\n+    x = 2\n", want: "context_not_found"},
		"a small line does not come again":                      {doc: "{\n}\n", hunks: " {\n+}\n", want: "already_applied"},
		"in place, indented again":                              {doc: "if x:\n    alpha()\n    beta()\n", hunks: " if x:\n-  alpha()\n-  beta()\n+    alpha()\n+    beta()\n", want: "already_applied"},
		"a deletion in place":                                   {doc: "a\nc\n", hunks: " a\n-b\n c\n", want: "already_applied"},
		"loosely is not exactly":                                {doc: "  x = 1\n", hunks: "-x = 1\n+x = 2\n", want: "context_not_found", how: Options{Exact: true}},
		"longer than the text":                                  {doc: "a\n", hunks: " a\n-b\n-c\n-d\n+e\n", want: "context_not_found"},
		"context alone need not fit the indentation":            {doc: "if a:\n   if b:\n\t\tx()\n\t\ty()\n", hunks: " if a:\n     if b:\n         x()\n+        z()\n         y()\n", want: "if a:\n   if b:\n\t\tx()\n\t\tz()\n\t\ty()\n"},
		"what is elided is not written":                         {doc: "a\nb\n", hunks: " a\n-b\n+// ... existing code ...\n", want: "placeholder"},
		"what a later one has made is not taken out":            {doc: "w\nx = 22\ny = 00\n", hunks: " w\n-x = 11\n+x = 22\n@@\n-y = 00\n+x = 11\n", want: "w\nx = 22\nx = 11\n"},
		"above a later one, two places and no order":            {doc: "(\n(\n)\n(\n)\n", hunks: "-(\n )\n@@\n (\n-(\n", want: "context_ambiguous"},
		"no context that a later one makes, if it has its own":  {doc: "(\n(\n)\n", hunks: "+)\n )\n@@\n+(\n (\n@@\n )\n+(\n", want: "context_ambiguous"},
		"no context that a later one makes":                     {doc: "a\nb\nc\n", hunks: " B\n-c\n+C\n@@\n-b\n+B\n", want: "context_not_found"},
		"exactly what one before it makes, not loosely another": {doc: "  x = 2\ny\nx = 1\n", hunks: "-x = 1\n+x = 2\n@@\n-x = 2\n+x = 3\n", want: "  x = 2\ny\nx = 3\n"},
		"exactly where one before it has taken a line out":      {doc: " a\n c\n\na\nb\nc\n", hunks: " a\n-b\n c\n@@\n-a\n c\n", want: " a\n c\n\nc\n"},
		"not in place before one that makes what it takes out":  {doc: "top\na = 1\n", hunks: " top\n-a = 1\n+a = 2\n@@\n top\n-a = 2\n+a = 1\n+b = 1\n", want: "top\na = 1\nb = 1\n"},
		"what a later one has made is not in place":             {doc: "y = 00\n", hunks: "-x = 11\n+x = 22\n@@\n-y = 00\n+x = 22\n", want: "context_not_found"},
		"the same insertion twice at one place":                 {doc: "a\nc\n", hunks: " a\n+bb\n c\n@@\n a\n+bb\n c\n", want: "context_not_found"},
		"two insertions at one place":                           {doc: "a\nc\n", hunks: " a\n+b1\n c\n@@\n a\n+b2\n c\n", want: "a\nb1\nb2\nc\n"},
		"on which side of what was taken out":                   {doc: "{\n{\n(\n", hunks: "-(\n@@\n {\n+=\n", want: "context_ambiguous"},
		"twice, around one that is there loosely":               {doc: "x = 1\nq\nx = 1\nt = 1  \nx = 1\n", hunks: "-x = 1\n+x = 2\n@@\n-t = 1\n+t = 2\n@@\n-x = 1\n+x = 2\n", want: "context_ambiguous"},
		"at the top, in place, and another below it":            {doc: "new\na\nb\nc\nend\n", hunks: "@1\n+new\n a\n b\n@@\n@3\n c\n+end\n", want: "already_applied"},
		"at the top, in place, and another to change":           {doc: "new\na\nb\nc\n", hunks: "@1\n+new\n a\n@@\n@2\n b\n-c\n+C\n", want: "new\na\nb\nC\n"},
		"two lines at the top, in place, and two below it":      {doc: "n1\nn2\na\nb\nm\nc\nD\n", hunks: "@1\n+n1\n+n2\n a\n@@\n@2\n b\n+m\n c\n@@\n@3\n c\n-d\n+D\n", want: "already_applied"},
		"at the top, below a new line, beside its like":         {doc: "d\na\nd\nd\nb\n", hunks: "@1\n a\n+d\n d\n@@\n@3\n d\n-b\n+B\n", want: "d\na\nd\nd\nd\nB\n"},
		"twice, around one that is in place":                    {doc: "x = 1\nq\nx = 1\nt = two\nx = 1\n", hunks: "-x = 1\n+x = 2\n@@\n-t = one\n+t = two\n@@\n-x = 1\n+x = 2\n", want: "context_ambiguous"},
		"two places, and the last one at the first of them":     {doc: "=\n(\n=\n;\n)\n", hunks: "-=\n@@\n+;\n )\n@@\n+=\n-=\n (\n", want: "context_ambiguous"},
		"a number in what is taken out":                         {doc: "1\n2\n3\n4\n5\n6\n7\n", hunks: "@2\n-2\n-3\n-4\n 5\n@@\n@3\n+X\n", want: "overlapping_edits"},
		"a number in what is replaced":                          {doc: "1\n2\n3\n4\n5\n6\n7\n", hunks: "@2\n-2\n-3\n-4\n+two\n+three\n+four\n 5\n@@\n@3\n+X\n", want: "overlapping_edits"},
		"numbers in no order":                                   {doc: "a\n\tk\n\tv\nb\n\tk\n\tv\nc\nd\n", hunks: "@7\n c\n+1\n+2\n+3\n d\n@@\n@2\n k\n-v\n+V\n", want: "a\n\tk\n\tV\nb\n\tk\n\tv\nc\n1\n2\n3\nd\n"},
		"two that change one line":                              {doc: "a\nb\nc\n", hunks: " a\n-b\n+B\n@@\n-b\n+X\n c\n", want: "context_not_found"},
	} {
		t.Run(name, func(t *testing.T) {
			src := edits.Source{Path: "a", Text: text.New(test.doc)}
			f := patch.File{Path: "a", Hunks: hunktext.Read(test.hunks)}
			got := ""
			plan, err := Plan(f, src, test.how)
			var e *edits.Error
			switch {
			case errors.As(err, &e):
				got = string(e.Kind)
				t.Log(e.Message)
			case err != nil:
				t.Fatal(err)
			default:
				if err := plan.Edits.Validate(src.Text.Len()); err != nil {
					t.Fatal(err)
				}
				got = plan.Edits.Apply(src.Text).String()
				t.Log(plan.Message, plan.Notes, fmt.Sprint(plan.Hunks))
			}
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// TestPlacingEqualHunks holds that equal hunks share their places, and with them
// the bound on how many are kept.
func TestPlacingEqualHunks(t *testing.T) {
	f := patch.File{Path: "a"}
	for range 3000 {
		f.Hunks = append(f.Hunks, hunktext.Read(" k\n-v\n+V\n")...)
	}
	src := edits.Source{Path: "a", Text: text.New(strings.Repeat("k\nv\n", 3000))}
	plan, err := Plan(f, src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.Edits.Apply(src.Text).String(); got != strings.Repeat("k\nV\n", 3000) {
		t.Errorf("%.60q", got)
	}
}
