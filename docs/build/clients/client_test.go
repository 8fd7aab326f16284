package clients_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// client views a file in the open editor, replaces a text in it, and prints the verified answer. In a program it is main.
func client() {
	here, err := os.Getwd()
	check(err)
	find := &agent.Finder{Client: agent.ClientInfo{Name: "my-agent", Root: here}}
	defer find.Close()
	execute := func(command string, arguments map[string]string, answer any) {
		raw, err := json.Marshal(arguments)
		check(err)
		editor, _, err := find.Find(context.Background(), here, agent.AboutOf(command, raw))
		check(err)
		result, err := editor.Execute(context.Background(), agent.Call{Command: command, Arguments: arguments})
		check(err) // of a command, a *jsonrpc2.Error whose data is a transaction.ErrorData
		check(json.Unmarshal(result, answer))
	}
	var shown view.View
	execute("view", map[string]string{"path": "menu.txt"}, &shown)
	fmt.Println(shown.Text)
	var edit transaction.Result
	execute("str_replace", map[string]string{"path": "menu.txt", "old_str": "bread", "new_str": "rye"}, &edit)
	fmt.Println(edit.Message, edit.Verified)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
