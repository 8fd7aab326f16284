package lsp_test

import (
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
)

func contextPatch(lines ...string) args {
	return args{"action": "patch", "patch_text": strings.Join(lines, "\n")}
}

func enveloped(lines ...string) args {
	all := append([]string{"*** Begin Patch", "*** Update File: untitled:case"}, lines...)
	return contextPatch(append(all, "*** End Patch")...)
}

// The regression tests of Agent Zero about context patches, and what was observed about
// them (A41 to A52). If that was wrong, the test asserts the correct behavior.
func TestAgentZeroContextPatches(t *testing.T) {
	twins := "class A:\n    def f(self):\n        return 1\nclass B:\n    def f(self):\n        return 1\n"
	cases := []refCase{
		{id: "A1", before: "alpha\nbeta\ngamma\n", args: contextPatch("@@ alpha", "+inserted", "@@", " beta", "-gamma", "+gamma-updated"),
			after: "alpha\ninserted\nbeta\ngamma-updated\n"},
		{id: "A2", before: "alpha\nbeta\n", args: enveloped("@@ alpha", "+inserted"), after: "alpha\ninserted\nbeta\n",
			message: "{P} patched 1 edits applied 3 lines now\n>>>\n1 alpha\n2 inserted\n3 beta\n<<<"},
		{id: "A3", before: "alpha\nbeta\ngamma\n", args: contextPatch(" beta", "-gamma", "+delta"), after: "alpha\nbeta\ndelta\n"},
		{id: "A6", before: "status = draft\n", args: enveloped("@@", "-status = draft", "+status = ready"), after: "status = ready\n"},
		{id: "A7", before: "def main():\n    print(greet(\"x\"))\n", args: enveloped("@@     print(greet(\"x\"))", "-    print(greet(\"x\"))", "+    print(greet(\"y\"))"),
			after: "def main():\n    print(greet(\"y\"))\n"},
		{id: "A8", before: "same\nold\nsame\nold\n", args: contextPatch(" same", "-old", "+new"), kind: edits.ContextAmbiguous,
			message: "error patching {P}: context matched multiple locations; add an @@ anchor or more context:\nsame\nold\n(it is at lines 2 and 4)"},
		{id: "A9", before: "a\n", args: contextPatch("*** Begin Patch", "*** Add File: x", "+x", "*** End Patch"), kind: edits.PatchSyntax,
			message: "error patching {P}: patch_text supports update hunks only"},
		{id: "A10", before: "a\n", args: contextPatch("*** Begin Patch", "*** Delete File: x", "*** End Patch"), kind: edits.PatchSyntax,
			message: "error patching {P}: patch_text supports update hunks only"},
		{id: "A11", before: "a\n", args: enveloped("*** Move to: y", "@@", "-a", "+b"), kind: edits.PatchSyntax,
			message: "error patching {P}: patch_text does not support file moves"},
		{id: "A12", before: "a\n", args: enveloped("@@", "-a", "+b", "*** Update File: y", "@@", "-a", "+b"), kind: edits.PatchSyntax,
			message: "error patching {P}: patch_text may update only one file per operation"},
		{id: "no end", before: "a\n", args: contextPatch("*** Begin Patch", "*** Update File: untitled:case", "-a", "+b"), kind: edits.PatchSyntax,
			message: "error patching {P}: patch_text missing *** End Patch"},
		{id: "insert-only", before: "a\n", args: contextPatch("+b"), kind: edits.PatchSyntax,
			message: "error patching {P}: insert-only patch hunk needs an @@ anchor"},
		{id: "no anchor", before: "a\nx\nx\n", args: contextPatch("@@ zebra", "-x", "+b"), kind: edits.AnchorNotFound,
			message: "error patching {P}: anchor not found: zebra"},
		{id: "no context", before: "a\n", args: contextPatch("-something else", "+b"), kind: edits.ContextNotFound,
			message: "error patching {P}: context not found:\nsomething else"},
		{id: "A41", before: twins, args: contextPatch("@@ class B:", "@@ def f(self):", "-        return 1", "+        return 2"),
			after: strings.TrimSuffix(twins, "1\n") + "2\n", cure: "each anchor is inside of the one before it"},
		{id: "A42", before: "h\n    x\n    y\n    x\n", args: contextPatch("@@ h", "-    x", "+    z"), kind: edits.ContextAmbiguous,
			cure: "an anchor does not make the first of several places right"},
		{id: "A43", before: "x\ny\nx\n", args: contextPatch("@@ x", "-x", "+z"), kind: edits.ContextAmbiguous, cure: "an anchor that is the changed line itself chooses no place"},
		{id: "A44", before: "a  \nb\n", args: contextPatch(" a", "-b", "+c"), after: "a  \nc\n", cure: "context is never written"},
		{id: "A45", before: "a\nb\n", args: enveloped("@@", " a", "-b", "+c", ""), after: "a\nc\n", cure: "a blank line before the end is layout"},
		{id: "A46 end of file", before: "x\ny\nx\n", args: enveloped("@@", "-x", "+z", "*** End of File"), after: "x\ny\nz\n", cure: "understood"},
		{id: "A46 decorated", before: "x\n", args: contextPatch("*** Begin Patch ***", "*** Update File: untitled:case", "@@", "-x", "+z", "*** End Patch ***"), after: "z\n", cure: "understood"},
		{id: "A46 numbers", before: "x\ny\nx\ny\n", args: enveloped("@@ -3,2 +3,2 @@", "-x", "+z", " y"), after: "x\ny\nz\ny\n", cure: "numbers are hints"},
		{id: "A47", before: "a\n", args: contextPatch("*** Begin Patch", "*** Update File: other.txt", "-a", "+b", "*** End Patch"), kind: edits.PatchSyntax,
			message: "error patching {P}: patch_text is about other.txt, and path is {P}", cure: "the names must agree"},
		{id: "A48", before: "a\fb\u2028c\nd\n", args: contextPatch(" a\fb\u2028c", "-d", "+e"), after: "a\fb\u2028c\ne\n", cure: "these are no line ends"},
		{id: "A49", before: "a\nb\nc\nd\n", args: contextPatch("@@", "-d", "+D", "@@", "-a", "+A"), after: "A\nb\nc\nD\n", cure: "in any order"},
		{id: "A50", before: "if x:\n\ta()\n\tb()\n", args: contextPatch("     a()", "+    c()", "     b()"), after: "if x:\n\ta()\n\tc()\n\tb()\n", cure: "the text's indentation"},
		{id: "A51", before: "one two three\n", args: args{"action": "patch", "old_text": "two", "new_text": "2"}, after: "one 2 three\n", cure: "within a line"},
	}
	for i := range cases {
		cases[i].command = "text_editor"
	}
	runRefCases(t, cases)
}

// A52: the file's mode and a link to it stay; TestW2_6ModeAndLinkStay saves one.
func TestW2_7StackedAnchorsNarrow(t *testing.T) {
	d := startToolFile(t, "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n\nclass C:\n    def f(self):\n        return 1\n")
	d.does("text_editor", contextPatch("@@ class B:", "@@ def f(self):", "-        return 1", "+        return 2"),
		"class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 2\n\nclass C:\n    def f(self):\n        return 1\n")
}

func TestW2_8AnAnchorDoesNotHideAmbiguity(t *testing.T) {
	d := startToolFile(t, "h\n    a\n    x\n    a\n    x\n")
	f := d.fails("text_editor", contextPatch("@@ h", "-    x", "+    y"), edits.ContextAmbiguous)
	if !strings.Contains(f.Message, "lines 3 and 5") || len(f.Matches) != 2 {
		t.Errorf("%+v", f)
	}
}

func TestW2_9ContextIsNotWritten(t *testing.T) {
	d := startToolFile(t, "a  \n\tb\t\nc\n")
	r := d.does("text_editor", contextPatch(" a", " \tb", "-c", "+d"), "a  \n\tb\t\nd\n")
	if len(r.Files[0].Hunks) != 1 || r.Files[0].Hunks[0].StartLine != 3 {
		t.Errorf("%+v", r.Files[0].Hunks)
	}
}

func TestW2_10LooseMatchesAndHints(t *testing.T) {
	d := startToolFile(t, "if x:\n\tsay(“hi”)\n\tgo()\n")
	d.does("text_editor", contextPatch("     say(\"hi\")", "-    go()", "+    stay()"), "if x:\n\tsay(“hi”)\n\tstay()\n")
	f := d.fails("text_editor", contextPatch("-\tsay(“hello”)", "+x"), edits.ContextNotFound)
	if !strings.Contains(f.Message, "The nearest text is at lines 2-2") {
		t.Errorf("%q", f.Message)
	}
}

func TestW2_11HunksInAnyOrder(t *testing.T) {
	d := startToolFile(t, "a\nb\nc\nd\n")
	d.does("text_editor", contextPatch("@@", "-d", "+D", "@@", "-b", "+B"), "a\nB\nc\nD\n")
}

func TestW2_12CommonDialects(t *testing.T) {
	for name, patch := range map[string][]string{
		"end of file":        {"*** Begin Patch", "*** Update File: a.txt", "@@", "-b", "+c", "*** End of File", "*** End Patch"},
		"numbers":            {"*** Begin Patch", "*** Update File: a.txt", "@@ -2,1 +2,1 @@", "-b", "+c", "*** End Patch"},
		"decorated":          {"*** Begin Patch ***", "*** Update File: a.txt", "@@", "-b", "+c", "*** End Patch ***"},
		"a blank before End": {"*** Begin Patch", "*** Update File: a.txt", "@@", "-b", "+c", "", "*** End Patch"},
		"unified":            {"--- a/a.txt", "+++ b/a.txt", "@@ -1,2 +1,2 @@", " a", "-b", "+c", ""},
		"search":             {"a.txt", "<<<<<<< SEARCH", "b", "=======", "c", ">>>>>>> REPLACE"},
	} {
		t.Run(name, func(t *testing.T) {
			startToolFile(t, "a\nb\n").does("text_editor", contextPatch(patch...), "a\nc\n")
		})
	}
}

func TestW2_15AContextPatchNeedsNoReadAfterIt(t *testing.T) {
	d := startToolFile(t, "a\nb\nc\n")
	d.reads(args{})
	d.does("text_editor", contextPatch("-a", "+x", "+y"), "x\ny\nb\nc\n")
	d.does("text_editor", lineEdits(args{"from": 4, "to": 4, "content": "z"}), "x\ny\nb\nz\n")
}

func TestW2_20TheNamesMustAgree(t *testing.T) {
	d := startToolFile(t, "a\nb\n")
	d.fails("text_editor", contextPatch("*** Begin Patch", "*** Update File: other.txt", "-b", "+c", "*** End Patch"), edits.PatchSyntax)
	d.does("text_editor", contextPatch("*** Begin Patch", "*** Update File: ./a.txt", "-b", "+c", "*** End Patch"), "a\nc\n")
}
