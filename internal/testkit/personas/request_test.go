package personas

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/fakeserver"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// TestRefresh has the messages that arrive when the server requests a refresh while two
// documents have unsent changes. Its diagnostics can be pulled, and each pull takes a
// second (hazard: held-back-changes).
func TestRefresh(t *testing.T) {
	tests := []struct {
		persona string
		events  string // at once
		late    string // after a second
	}{
		{"", "answer", ""},
		{"vscode", "answer diagnostic diagnostic", ""},
		{"neovim", "didChange diagnostic didChange diagnostic answer", ""},
		{"neovim-plugin", "didChange diagnostic didChange diagnostic answer", ""},
		{"zed", "diagnostic diagnostic", "answer"},
		{"eglot", "didChange diagnostic didChange diagnostic answer", ""},
		{"sublime", "didChange diagnostic didChange diagnostic answer", ""},
		{"kakoune", "answer", ""},
	}
	for _, test := range tests {
		t.Run(test.persona, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				e, s := startOn(t, named(t, test.persona), func(s *fakeserver.Server) {
					s.Diagnostics, s.Slow = json.RawMessage(`{"interFileDependencies":false,"workspaceDiagnostics":false}`), time.Second
				})
				for _, uri := range []string{"untitled:1", "untitled:2"} {
					typeAtStart(t, openText(t, e, uri, "one\n"), "x")
				}
				settle(s)
				_, answer := s.Begin("workspace/diagnostic/refresh", nil)
				wantArrived(t, s, test.events)
				pass(time.Second)
				if late := arrived(s); late != test.late {
					t.Errorf("a second later came %q", late)
				}
				if m := <-answer; m.Error != nil || string(m.Result) != "null" {
					t.Errorf("the answer is %s %v", m.Result, m.Error)
				}
			})
		})
	}
}

// TestRefreshWithoutPulling: a server whose diagnostics cannot be pulled gets its
// answer and nothing else, so that this is no barrier.
func TestRefreshWithoutPulling(t *testing.T) {
	for _, p := range All() {
		t.Run(p.Name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, p)
				openText(t, e, "untitled:1", "one\n")
				settle(s)
				s.Call("workspace/diagnostic/refresh", nil)
				wantArrived(t, s, "answer")
			})
		})
	}
}

// TestPluginCallsSynced: a plugin sends didChange, patchls/synced, and then its answer, which
// waits for the answer to synced; a refused edit has neither.
func TestPluginCallsSynced(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e, s := startOn(t, named(t, "neovim-plugin"), func(s *fakeserver.Server) { s.Slow = time.Second })
		b := openText(t, e, "untitled:1", "one\n")
		settle(s)
		_, answer := s.Begin("workspace/applyEdit", map[string]any{"edit": map[string]any{
			"documentChanges": []any{fakeserver.TextEdits(b.URI(), 0, at(0, 0, 0, 0, "x"))},
		}})
		wantArrived(t, s, "didChange patchls/synced")
		if got := string(s.WaitFor("patchls/synced")); got != `{"textDocument":{"uri":"untitled:1","version":5}}` {
			t.Errorf("synced %s", got)
		}
		pass(time.Second - 1)
		wantArrived(t, s, "")
		pass(1)
		wantArrived(t, s, "answer")
		<-answer
		s.Apply("", fakeserver.TextEdits(b.URI(), 4, at(0, 0, 0, 0, "x"))).MustRefuse(t, "has changed", 0)
		wantArrived(t, s, "answer")
	})
}

// TestEglotAsks: eglot 1.17 asks the user about files that are not open (hazard: asks-the-user).
// The request hangs until the user answers, and a didChange comes 500 ms after that key. No
// is null (hazard: spellings-of-no).
func TestEglotAsks(t *testing.T) {
	for name, yes := range map[string]bool{"yes": true, "no": false} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			inBubble(t, func(t *testing.T) {
				var asked []Question
				p := named(t, "eglot")
				p.User = func(q Question) (time.Duration, bool) {
					asked = append(asked, q)
					return time.Minute, yes
				}
				e, s := startOn(t, p, func(s *fakeserver.Server) { s.Twice = true })
				b := openText(t, e, "untitled:1", "one\n")
				pass(time.Second)
				u := uriOf(writeFile(t, dir+"/f", "f\n"))
				settle(s)
				_, answer := s.Begin("workspace/applyEdit", map[string]any{"edit": map[string]any{"documentChanges": []any{
					fakeserver.TextEdits(b.URI(), 0, at(0, 0, 0, 0, "x")), fakeserver.TextEdits(u, nil, at(0, 0, 0, 0, "x")),
				}}})
				pass(time.Minute - 1)
				wantArrived(t, s, "")
				wantText(t, b, "one\n")
				pass(1)
				m := <-answer
				if !slices.Equal(asked, []Question{{URI: u}}) {
					t.Errorf("asked %v", asked)
				}
				if !yes {
					if string(m.Result) != `{"applied":null,"failureReason":"decision to decline"}` {
						t.Errorf("the answer is %s", m.Result)
					}
					wantText(t, b, "one\n")
					return
				}
				wantArrived(t, s, "answer didOpen didOpen")
				pass(499 * ms)
				wantArrived(t, s, "")
				pass(ms)
				wantArrived(t, s, "didChange")
			})
		})
	}
}

// annotatedEdit is LSP's AnnotatedTextEdit.
type annotatedEdit struct {
	headless.TextEdit
	AnnotationID string `json:"annotationId"`
}

// TestConfirmation: asked for a confirmation, VS Code says no for the user, Neovim skips what
// is declined and says yes, and the others do not ask (hazard: edit-metadata).
func TestConfirmation(t *testing.T) {
	tests := []struct {
		persona      string
		asks         bool
		answer, text string // when declined
	}{
		{"", false, "yes", "XbY\n"},
		{"vscode", true, "no", "abc\n"},
		{"neovim", true, "yes", "Xbc\n"},
		{"helix", false, "yes", "XbY\n"},
	}
	for _, test := range tests {
		for _, yes := range []bool{true, false} {
			t.Run(test.persona, func(t *testing.T) {
				inBubble(t, func(t *testing.T) {
					asked := false
					p := named(t, test.persona)
					p.User = func(q Question) (time.Duration, bool) {
						asked = q == Question{"untitled:1", true}
						return time.Second, yes
					}
					e, s := startAs(t, p)
					b := openText(t, e, "untitled:1", "abc\n")
					risky := annotatedEdit{at(0, 2, 0, 3, "Y"), "a"}
					r := s.ApplyEdit(map[string]any{"edit": map[string]any{
						"documentChanges":   []any{fakeserver.TextEdits[any](b.URI(), b.Version(), at(0, 0, 0, 1, "X"), risky)},
						"changeAnnotations": map[string]any{"a": map[string]any{"label": "a", "needsConfirmation": true}},
					}})
					answer, text := "yes", "XbY\n"
					if !yes {
						answer, text = test.answer, test.text
					}
					if got := said(r); got != answer || asked != test.asks {
						t.Errorf("the answer is %s, asked: %t", got, asked)
					}
					wantText(t, b, text)
				})
			})
		}
	}
}

// TestAnnotationWithoutMeaning: an annotationId that changeAnnotations does not have is an
// error in Neovim (hazard: edit-metadata).
func TestAnnotationWithoutMeaning(t *testing.T) {
	for persona, want := range map[string]string{"neovim": "no with a reason", "vscode": "yes"} {
		t.Run(persona, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, named(t, persona))
				b := openText(t, e, "untitled:1", "abc\n")
				te := annotatedEdit{at(0, 0, 0, 1, "X"), "a"}
				if got := said(s.Apply("", fakeserver.TextEdits(b.URI(), b.Version(), te))); got != want {
					t.Errorf("the answer is %s", got)
				}
			})
		})
	}
}

// TestDeclared has what an editor says of itself (hazard: position-encoding).
func TestDeclared(t *testing.T) {
	tests := []struct {
		persona, client string
		encodings       []string
		documentChanges bool
		operations      bool
		failure         string
		refresh         bool
		normalizes      bool
		annotations     bool
	}{
		{"", "patchls-headless", []string{"utf-8", "utf-16", "utf-32"}, true, true, "transactional", false, false, false},
		{"vscode", "Visual Studio Code", []string{"utf-16"}, true, true, "textOnlyTransactional", true, true, true},
		{"neovim", "Neovim", []string{"utf-8", "utf-16", "utf-32"}, false, true, "", true, false, true},
		{"zed", "Zed", []string{"utf-16"}, true, true, "", true, false, false},
		{"helix", "helix", []string{"utf-8", "utf-32", "utf-16"}, true, true, "abort", false, false, false},
		{"eglot", "Eglot", []string{"utf-32", "utf-8", "utf-16"}, true, false, "", true, false, false},
		{"sublime", "Sublime Text LSP", []string{"utf-16"}, true, true, "abort", true, true, false},
		{"kakoune", "kak-lsp", []string{"utf-8", "utf-16"}, true, true, "abort", false, false, false},
	}
	for _, test := range tests {
		t.Run(test.persona, func(t *testing.T) {
			_, s := start(t, named(t, test.persona), headless.Options{}, nil)
			var p struct {
				ClientInfo   struct{ Name string }
				Capabilities struct {
					General   struct{ PositionEncodings []string }
					Workspace struct {
						ApplyEdit     bool
						WorkspaceEdit struct {
							DocumentChanges    bool
							ResourceOperations []string
							FailureHandling    string

							NormalizesLineEndings   bool
							ChangeAnnotationSupport *struct{}
						}
						Diagnostics struct{ RefreshSupport bool }
					}
				}
			}
			if err := json.Unmarshal(s.WaitFor("initialize"), &p); err != nil {
				t.Fatal(err)
			}
			w := p.Capabilities.Workspace
			if p.ClientInfo.Name != test.client || !slices.Equal(p.Capabilities.General.PositionEncodings, test.encodings) || !w.ApplyEdit {
				t.Errorf("%+v", p)
			}
			if e := w.WorkspaceEdit; e.DocumentChanges != test.documentChanges || (len(e.ResourceOperations) == 3) != test.operations || e.FailureHandling != test.failure {
				t.Errorf("%+v", w)
			}
			if e := w.WorkspaceEdit; e.NormalizesLineEndings != test.normalizes || (e.ChangeAnnotationSupport != nil) != test.annotations {
				t.Errorf("%+v", w)
			}
			if w.Diagnostics.RefreshSupport != test.refresh {
				t.Errorf("refreshSupport is %t", w.Diagnostics.RefreshSupport)
			}
		})
	}
}

// TestOptionsOverrideThePersona: options set by a test take precedence.
func TestOptionsOverrideThePersona(t *testing.T) {
	o := headless.Options{Encodings: []string{}}
	o.Client.Name = "mine"
	if got := named(t, "vscode").Options(o); got.Client.Name != "mine" || len(got.Encodings) != 0 {
		t.Errorf("%+v %v", got.Client, got.Encodings)
	}
}
