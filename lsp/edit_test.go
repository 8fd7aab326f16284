package lsp_test

import (
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// The main job: unsaved text is edited where it is, disk is left alone, and the
// answer is what the buffer holds.
func TestEditReachesTheUnsavedBuffer(t *testing.T) {
	s := start(t, map[string]string{"a.go": "package a\n\nfunc f() {}\n"}, headless.Options{})
	b := s.open("a.go")
	if err := b.Insert(0, "// unsaved\n"); err != nil {
		t.Fatal(err)
	}
	r := s.edit("str_replace", args{"path": "a.go", "old_str": "func f() {}", "new_str": "func f() { g() }"})
	want := "// unsaved\npackage a\n\nfunc f() { g() }\n"
	if b.Text() != want {
		t.Errorf("buffer is %q, want %q", b.Text(), want)
	}
	if got := s.disk("a.go"); got != "package a\n\nfunc f() {}\n" {
		t.Errorf("disk was changed: %q", got)
	}
	if !r.Applied || !r.Verified || r.EditID == "" {
		t.Errorf("applied %v, verified %v, id %q", r.Applied, r.Verified, r.EditID)
	}
	if want := "Replaced 1 occurrence in a.go at line 4."; r.Message != want {
		t.Errorf("message %q, want %q", r.Message, want)
	}
	f := r.Files[0]
	if !f.Open || !f.Dirty || f.Saved || f.Version != b.Version() || f.TotalLines != 4 {
		t.Errorf("file is %+v", f)
	}
}
