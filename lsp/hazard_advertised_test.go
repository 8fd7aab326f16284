package lsp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// Editors stand still while a server thinks about a file that is to be created or
// saved. So it asks for none of that, whatever the client offers.
//
// Fails if initializeResult advertises one of these, or if the server registers one later.
func TestHazardBlockingRequest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Helix",
			`"textDocument":{"synchronization":{"dynamicRegistration":true,"willSave":true,"willSaveWaitUntil":true,"didSave":true}}`,
			`workspace."fileOperations":{"dynamicRegistration":true,"willCreate":true,"willRename":true,"willDelete":true}`)
		d.poll()
		said := string(d.hello)
		for _, m := range d.sent {
			said += m.Method + string(m.Params)
		}
		for _, word := range []string{"willSave", "willCreate", "willRename", "willDelete"} {
			if strings.Contains(said, word) {
				t.Errorf("%s in %s", word, said)
			}
		}
	})
}

// VS Code registers an advertised command globally, so a second client with the same command does
// not start. An extension that says so gets no advertised commands, and has patchls/execute.
//
// Fails if initializeResult does not look at settings.AdvertiseCommands, or if routeTable has no
// route for methodExecute.
func TestHazardGlobalCommands(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Visual Studio Code", `;"initializationOptions":{"advertise_commands":false}`,
			`workspace."executeCommand":{"dynamicRegistration":true}`)
		if list := commandsOf(t, d.hello); len(list) > 0 {
			t.Errorf("advertised: %q", list)
		}
		b := d.opened(doc, 1, "one\n")
		d.send(`{"jsonrpc":"2.0","id":77,"method":"patchls/execute","params":{"command":"patchls.str_replace","arguments":[{"path":%q,"old_str":"one","new_str":"two"}]}}`, doc)
		d.buffer = b
		d.result(77)
		d.wantSheet(b, "two\n")

		d = startPlayer(t, "Neovim")
		if list := commandsOf(t, d.hello); !slices.Contains(list, "patchls.str_replace") {
			t.Errorf("advertised: %q", list)
		}
	})
}

// With full sync VS Code sends a change 250 ms late, and every client all of the text.
//
// Fails if TextDocumentSync in initializeResult does not ask for incremental changes, for
// openings, or for saved texts.
func TestHazardFullSync(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Visual Studio Code")
		var sync struct {
			OpenClose bool
			Change    int
			Save      struct{ IncludeText bool }
		}
		raw := capabilitiesOf(t, d.hello, "textDocumentSync")
		if err := json.Unmarshal(raw, &sync); err != nil || sync.Change != 2 || !sync.OpenClose || !sync.Save.IncludeText {
			t.Errorf("the sync is %s", raw)
		}
	})
}
