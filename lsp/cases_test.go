package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/patchls/patchls/editors/headless"
	"github.com/patchls/patchls/lsp"
)

// TestCases runs testdata/edits/*.txtar from outside: each is a text ("before"),
// a command and its arguments ("command"), and what follows: the text "after"
// and the "message", or an "error", its kind and message. -update rewrites what
// follows.
//
// In texts ␠ is a blank, ⇥ a tab, ␍ a carriage return and ␃ ends the text, so
// that what an editor would strip can be seen.
func TestCases(t *testing.T) {
	names, err := filepath.Glob("../testdata/edits/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, encoding := range []string{"utf-8", "utf-16", "utf-32"} {
				got := runCase(t, archive, encoding)
				if *update {
					if err := os.WriteFile(name, txtar.Format(got), 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				if want := string(txtar.Format(archive)); string(txtar.Format(got)) != want {
					t.Errorf("in %s:\n%s\nwant:\n%s", encoding, txtar.Format(got), want)
				}
			}
		})
	}
}

// runCase returns the case with what really follows.
func runCase(t *testing.T, archive *txtar.Archive, encoding string) *txtar.Archive {
	t.Helper()
	before := fromVisible(section(archive, "before"))
	command, arguments, _ := strings.Cut(section(archive, "command"), " ")
	s := start(t, nil, headless.Options{Encodings: []string{encoding}})
	b, err := s.OpenText("untitled:case", "plaintext", before)
	if err != nil {
		t.Fatal(err)
	}
	var a map[string]any
	if err := json.Unmarshal([]byte(arguments), &a); err != nil {
		t.Fatalf("command: %v", err)
	}
	if _, ok := a["path"]; !ok {
		a["path"] = b.URI()
	}
	got := &txtar.Archive{Comment: archive.Comment}
	got.Files = append(got.Files, txtar.File{Name: "before", Data: []byte(section(archive, "before"))})
	got.Files = append(got.Files, txtar.File{Name: "command", Data: []byte(section(archive, "command"))})
	raw, err := s.Execute(context.Background(), "patchls."+command, a)
	if err != nil {
		f := failureOf(t, raw, err)
		if b.Text() != before {
			t.Errorf("the command failed and changed the text")
		}
		got.Files = append(got.Files, txtar.File{Name: "error", Data: fmt.Appendf(nil, "%s\n%s\n", f.Kind, f.Message)})
		return got
	}
	var r lsp.Result
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	checkCase(t, b, before, r)
	got.Files = append(got.Files, txtar.File{Name: "after", Data: []byte(toVisible(b.Text()))})
	message := r.Message + "\n"
	for _, n := range r.Notes {
		message += "note: " + n + "\n"
	}
	got.Files = append(got.Files, txtar.File{Name: "message", Data: []byte(message)})
	return got
}

// checkCase checks what holds for every edit: it is verified, and one undo takes
// back all of it and nothing else.
func checkCase(t *testing.T, b *headless.Buffer, before string, r lsp.Result) {
	t.Helper()
	if !r.Verified {
		t.Errorf("not verified: %+v", r)
	}
	after := b.Text()
	if b.Undo(); b.Text() != before {
		t.Errorf("one undo gives %q, want %q", b.Text(), before)
	}
	if b.Redo(); b.Text() != after {
		t.Errorf("redo gives %q, want %q", b.Text(), after)
	}
}

func section(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func fromVisible(s string) string {
	s, _, _ = strings.Cut(s, "␃")
	return strings.NewReplacer("␠", " ", "⇥", "\t", "␍", "\r").Replace(s)
}

// toVisible shows what fromVisible reads: carriage returns, tabs, blanks at the
// end of a line, and a text that ends without a newline.
func toVisible(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "␃\n"
	}
	lines := strings.SplitAfter(s, "\n")
	for i, l := range lines {
		body := strings.TrimRight(l, "\r\n")
		blanks := len(body) - len(strings.TrimRight(body, " "))
		lines[i] = body[:len(body)-blanks] + strings.Repeat("␠", blanks) + l[len(body):]
	}
	return strings.NewReplacer("\t", "⇥", "\r", "␍").Replace(strings.Join(lines, ""))
}
