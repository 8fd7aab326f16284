package patch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
)

func TestPatchBlocks(t *testing.T) {
	const begin = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n"
	for _, c := range []struct {
		name, markdown string
		want           []string // the line, how many, and the patch
	}{
		{"nothing", "text\n", nil},
		{"a fence", "a\n```diff\n@@\n-a\n```\nb\n", []string{"3 2 @@\n-a\n"}},
		{"patch, with tildes", "~~~~ Patch x\n--- a\n+++ a\n~~~\n~~~~\n", []string{"2 3 --- a\n+++ a\n~~~\n"}},
		{"an illustration", "```diff\n-a\n+b\n```\n", nil},
		{"another language", "```go\n@@\n-a\n```\n", nil},
		{"a patch in another language", "```\n\n" + begin + "```\n", []string{"2 4 \n" + begin}},
		{"bare", "text\n" + begin + "text\n", []string{"2 3 " + begin}},
		{"bare, without an end", "*** Begin Patch\nx\n" + begin, []string{"1 2 *** Begin Patch\nx\n", "3 3 " + begin}},
		{"not closed", "```diff\n@@\n-a", []string{"2 2 @@\n-a"}},
		{"a fence as context", "```diff\n@@\n ```\n-a\n```\n", []string{"2 3 @@\n ```\n-a\n"}},
		{"in a list", "1. a\n\n   ```diff\n   @@\n    b\n   -a\n   ```\n", []string{"4 3 @@\n b\n-a\n"}},
		{"CRLF", "```diff\r\n@@\r\n-a\r\n```\r\n", []string{"2 2 @@\r\n-a\r\n"}},
		{"SEARCH/REPLACE", "```diff\na\n<<<<<<< SEARCH\r\nx\n```\n", []string{"2 3 a\n<<<<<<< SEARCH\r\nx\n"}},
		{"inline", "```diff``` is no fence\n@@\n", nil},
		{"nothing in it", "```\n```\n", nil},
	} {
		var got []string
		for _, b := range patch.Blocks(c.markdown) {
			got = append(got, fmt.Sprint(b.Line, " ", b.Lines, " ", b.Patch))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The error names the line that cannot be read.
func TestSyntaxErrorNamesItsLine(t *testing.T) {
	_, err := patch.Parse("*** Begin Patch\n*** Update File: a\n@@\n-x\n*** Wrong\n*** End Patch\n")
	e, ok := err.(*edits.Error)
	if !ok || e.PatchLine != 5 || !strings.HasPrefix(e.Message, "Line 5 of the patch: ") {
		t.Errorf("%+v", err)
	}
}
