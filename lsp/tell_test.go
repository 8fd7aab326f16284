package lsp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/review"
)

// heard are the messages that the user gets, each with its kind: "log 3" or "show 2".
type heard chan string

func (h heard) trace(dir string, raw []byte) {
	var m struct {
		Method string
		Params struct {
			Type    int
			Message string
		}
	}
	if dir != "receive" || json.Unmarshal(raw, &m) != nil {
		return
	}
	switch m.Method {
	case "window/logMessage":
		h <- "log " + string(rune('0'+m.Params.Type)) + ": " + m.Params.Message
	case "window/showMessage":
		h <- "show " + string(rune('0'+m.Params.Type)) + ": " + m.Params.Message
	}
}

func (h heard) expect(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-h:
		if !strings.HasPrefix(got, want) {
			t.Errorf("the user hears %q, want %q", got, want)
		}
	case <-time.After(time.Minute):
		t.Fatalf("the user does not hear %q", want)
	}
}

// The editor's log says what the server did not understand.
func TestTheEditorsLogHasWarnings(t *testing.T) {
	h := make(heard, 100)
	start(t, nil, headless.Options{Trace: h.trace, Settings: map[string]any{"mach": "exact"}})
	h.expect(t, `log 2: unknown setting, ignored setting=mach nearest=match`)
}

// The log says who edited what, and no message about it is shown.
func TestTheEditorsLogSaysWhatWasEdited(t *testing.T) {
	h := make(heard, 100)
	s := start(t, map[string]string{"a.txt": "one\n"}, headless.Options{Trace: h.trace})
	s.open("a.txt")
	s.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "1"})
	h.expect(t, "log 3: patchls-headless: Replaced 1 occurrence in a.txt at line 1 (str_replace, edit e1)")
	s.edit("str_replace", args{"path": "a.txt", "old_str": "1", "new_str": "2", "dry_run": true})
	s.fail("str_replace", args{"path": "a.txt", "old_str": "9", "new_str": "2"})
	run[review.KeepResult](s, "keep", args{"path": "a.txt"})
	h.expect(t, "log 3: patchls-headless: Kept hunk 1 of edit e1 in a.txt.")
	s.edit("undo", args{})
	h.expect(t, "log 3: patchls-headless: Undid edit e1 in a.txt (undo, edit e1)")
	s.edit("apply_patch", args{"path": "a.txt", "patch": "@@ -1 +1 @@\n-one\n+1\n"})
	h.expect(t, "log 3: patchls-headless: ")
}

// What only the user can see is shown to them.
func TestTheUserIsAskedToLook(t *testing.T) {
	h := make(heard, 100)
	opts := answering(func(context.Context, *headless.Editor, *applyParams, applyNext) (applyResult, error) {
		return applyResult{Applied: true}, nil
	})
	opts.Trace = h.trace
	s := start(t, map[string]string{"a.txt": "one\n"}, opts)
	s.open("a.txt")
	if f := s.fail("str_replace", oneToTwo); f.Kind != "not_settled" {
		t.Fatalf("%+v", f)
	}
	h.expect(t, "show 2: patchls could not verify an edit of a.txt by patchls-headless: please look")
}
