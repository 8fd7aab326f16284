package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// TestFailures tries, from outside, every kind of failure that a command's arguments
// and files can lead to. What editors do is in apply_test.go, what texts do in
// testdata/edits.
func TestFailures(t *testing.T) {
	s := start(t, map[string]string{
		"src/main.go":    "package main\n",
		"src/util.go":    "package main\n",
		"open.txt":       "one\n",
		"binary.bin":     "a\x00b",
		"latin1.txt":     "caf\xe9\n",
		"large.txt":      strings.Repeat("x", 2000),
		"locked.txt":     "one\n",
		".git/config":    "[core]\n",
		"fine-at-bound":  strings.Repeat("x", 1000),
		"open-large.txt": "x",
	}, headless.Options{Settings: map[string]any{"max_document_bytes": 1000}})
	outside := t.TempDir()
	writeFile(t, filepath.Join(outside, "secret.txt"), "one\n")
	symlink(t, outside, s.path("link"))
	symlink(t, s.path(".git"), s.path("gitlink"))
	if err := os.Chmod(s.path("locked.txt"), 0o444); err != nil {
		t.Fatal(err)
	}
	s.open("open.txt")
	if err := s.open("open-large.txt").Insert(0, strings.Repeat("y", 1000)); err != nil {
		t.Fatal(err)
	}
	replace := func(path string) args { return args{"path": path, "old_str": "one", "new_str": "two"} }
	for name, test := range map[string]struct {
		command string
		args    any
		kind    edits.Kind
		begins  string // the message
		says    string // somewhere in it
	}{
		"missing file":               {"str_replace", replace("src/mian.go"), "file_not_found", "File not found: src/mian.go", "src/main.go"},
		"missing file, other folder": {"view", args{"path": "util.go"}, "file_not_found", "File not found: util.go", "src/util.go"},
		"untitled and not open":      {"str_replace", replace("untitled:none"), "file_not_found", "File not found: untitled:none", "not open"},
		"parent folder":              {"str_replace", replace("../x.txt"), "outside_workspace", "", ""},
		"absolute outside":           {"str_replace", replace(filepath.Join(outside, "secret.txt")), "outside_workspace", "", ""},
		"through a symlink":          {"str_replace", replace("link/secret.txt"), "outside_workspace", "", ""},
		"create through a symlink":   {"create", args{"path": "link/new.txt", "content": "x"}, "outside_workspace", "", ""},
		"view outside":               {"view", args{"path": "link/secret.txt"}, "outside_workspace", "", ""},
		"git internals":              {"str_replace", replace(".git/config"), "protected", "", ".git"},
		"git internals, other case":  {"create", args{"path": ".GIT/hooks/x", "content": "x"}, "protected", "", ""},
		"git through a symlink":      {"str_replace", replace("gitlink/config"), "protected", "", ""},
		"git by a way round":         {"str_replace", replace("src/../.git/config"), "protected", "", ""},
		"edit of a directory":        {"str_replace", replace("src"), "is_directory", "", "view"},
		"write to a directory":       {"write", args{"path": "src", "content": "x"}, "is_directory", "", ""},
		"binary":                     {"str_replace", replace("binary.bin"), "binary_file", "", ""},
		"not UTF-8":                  {"str_replace", replace("latin1.txt"), "not_utf8", "", "offset 3"},
		"too large":                  {"str_replace", replace("large.txt"), "too_large", "", "max_document_bytes"},
		"too large, open":            {"str_replace", replace("open-large.txt"), "too_large", "", "max_document_bytes"},
		"at the bound":               {"str_replace", replace("fine-at-bound"), "no_match", "Text not found in fine-at-bound", ""},
		"read-only":                  {"str_replace", replace("locked.txt"), "read_only", "", ""},
		"create over a file":         {"create", args{"path": "src/main.go", "content": "x"}, "already_exists", "", "overwrite"},
		"create over an open file":   {"create", args{"path": "open.txt", "content": "x"}, "already_exists", "", "overwrite"},
		"empty path":                 {"view", args{"path": ""}, "invalid_params", "", ""},
		"NUL in the path":            {"view", args{"path": "a\x00b"}, "invalid_params", "", ""},
		"file URI without a path":    {"view", args{"path": "file://"}, "invalid_params", "", ""},
		"line out of range":          {"view", args{"path": "open.txt", "start_line": 100}, "line_out_of_range", "Line 100 does not exist in file with 1 line", ""},
		"view backwards":             {"view", args{"path": "open.txt", "start_line": 1, "end_line": -2}, "invalid_range", "end_line must be >= start_line", ""},
		"patch over two files":       {"apply_patch", args{"patch": "a.txt\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\nb.txt\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"}, "file_not_found", "", "b.txt fails as well"},
		"patch without a file":       {"apply_patch", args{"patch": "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"}, "invalid_params", "", "path"},
		"unknown command":            {"str_repalce", replace("open.txt"), "invalid_params", "Unknown command", "patchls.str_replace"},
		"arguments are a list":       {"view", []string{"open.txt"}, "invalid_params", "", "object"},
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			f := s.fail(test.command, test.args)
			if f.Kind != test.kind || !strings.HasPrefix(f.Message, test.begins) || !strings.Contains(f.Message, test.says) {
				t.Errorf("%s: %s\nwant %s: %s … %s", f.Kind, f.Message, test.kind, test.begins, test.says)
			}
			want := jsonrpc2.Code(-32803)
			if test.kind == edits.InvalidParams {
				want = jsonrpc2.InvalidParams
			}
			if f.Code != want {
				t.Errorf("code %d, want %d", f.Code, want)
			}
		})
	}
}

func symlink(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

// A command without its argument object is told what it needs.
func TestNoArguments(t *testing.T) {
	s := start(t, nil, headless.Options{})
	if f := s.fail("view", nil); f.Kind != "invalid_params" || !strings.Contains(f.Message, `"path"`) {
		t.Errorf("%+v", f)
	}
}

func TestOutsideIsAllowedWhereTheSettingsSaySo(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "a.txt")
	writeFile(t, outside, "one\n")
	s := start(t, nil, headless.Options{Settings: map[string]any{"allow_outside_workspace": true}})
	if r := s.edit("str_replace", args{"path": outside, "old_str": "one", "new_str": "two"}); !r.Verified {
		t.Errorf("%+v", r)
	}
}

// The setting adds to what is protected, and .git stays so, also where outside is allowed.
func TestProtectedPathsAreMore(t *testing.T) {
	for _, outside := range []bool{false, true} {
		s := start(t, map[string]string{"secret/a.txt": "one\n", ".git/config": "one\n"}, headless.Options{
			Settings: map[string]any{"protected_paths": []string{"secret"}, "allow_outside_workspace": outside},
		})
		for _, path := range []string{"secret/a.txt", ".git/config"} {
			for command, more := range map[string]args{"view": {}, "str_replace": {"old_str": "one", "new_str": "two"}} {
				more["path"] = path
				if f := s.fail(command, more); f.Kind != "protected" {
					t.Errorf("%s %s, outside %v: %+v", command, path, outside, f)
				}
			}
		}
	}
}

// What the editor has open may be edited, wherever it lies.
func TestOpenDocumentOutsideTheWorkspace(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "a.txt")
	writeFile(t, outside, "one\n")
	s := start(t, nil, headless.Options{})
	if _, err := s.Open(outside); err != nil {
		t.Fatal(err)
	}
	if r := s.edit("str_replace", args{"path": outside, "old_str": "one", "new_str": "two"}); !r.Verified {
		t.Errorf("%+v", r)
	}
}

func TestTextThatIsInAnotherOpenDocument(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n", "b.txt": "two three\n"}, headless.Options{})
	s.open("b.txt")
	f := s.fail("str_replace", args{"path": "a.txt", "old_str": "two three", "new_str": "x"})
	if f.Kind != "no_match" || !strings.Contains(f.Message, "b.txt, which is open") {
		t.Errorf("%+v", f)
	}
}
