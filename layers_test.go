package patchls_test

import (
	"io/fs"
	"maps"
	"os"
	"testing"
)

const module = "github.com/patchls/patchls"

// A layer is a folder and what its Go files may import.
type layer struct {
	dir string

	// uses are the modules that the layer imports itself, testUses those that only its
	// tests import. Both lists are exact: adding a module is a decision that is made here,
	// and an unused module must be removed.
	uses, testUses []string

	// not are packages that the layer must never import, of the standard library, of
	// others or ours, with the reason. Tests may import them.
	not map[string]string
	// only are the modules that the layer may ever use; nil means any.
	only []string

	// forTests: only tests, and layers that are for tests too, import it.
	forTests bool

	// testsMayUse are layers above that the layer's external tests import.
	testsMayUse []string
}

// layers are those of the repository (docs/architecture.md), from the top down, by floors. A
// layer imports only layers below it. A folder belongs to the layer with the longest name that holds it;
// a package inside a layer that others of the layer import needs a line here.
var layers = []layer{
	// Tools of the project. Nothing imports them.
	{dir: "bench"},
	{dir: "docs/build/clients", forTests: true}, // examples for authors
	{
		dir:      "editors/e2e/agents",
		forTests: true,
		uses:     []string{"golang.org/x/sys"}, // raises the loopback of a network of its own
	},
	{
		// It drives editors of others, and is an agent in front of them.
		dir:      "editors/e2e",
		forTests: true,
		uses:     []string{"github.com/rogpeppe/go-internal"},
	},

	// Doors: what users and agents start.
	{
		dir:  "cmd",
		not:  quiet,
		uses: []string{"github.com/fsnotify/fsnotify", "github.com/spf13/cobra", "github.com/spf13/pflag", "go.lsp.dev/jsonrpc2", "golang.org/x/term", "golang.org/x/text"},
		// x/sys: what looks for stalls of the machine runs before all others.
		// protocol: an editor of the tests declares that it asks the user.
		testUses: []string{"github.com/rogpeppe/go-internal", "go.lsp.dev/protocol", "go.uber.org/goleak", "golang.org/x/sys"},
	},
	{
		// Above all else, so that only the command line imports it: it starts the program given on the command line.
		dir:      "agent/shadow",
		uses:     []string{"golang.org/x/sys"},
		testUses: []string{"github.com/rogpeppe/go-internal", "go.lsp.dev/jsonrpc2"},
		not:      without(quiet, "os/exec"),
	},
	{
		dir:      "agent/acp", // which starts the agent
		testUses: []string{"github.com/coder/acp-go-sdk"},
		not:      without(quiet, "os/exec"),
	},
	{dir: "agent/hook", not: quiet, testUses: []string{"go.lsp.dev/protocol", "go.uber.org/goleak"}}, // which agents start
	{
		dir:      "agent/setup", // files of agents; no editor, and no server
		uses:     []string{"github.com/go-json-experiment/json", "github.com/pelletier/go-toml/v2", "github.com/tailscale/hujson"},
		testUses: []string{"github.com/rogpeppe/go-internal"},
		not: join(without(quiet, "os/exec"), // it looks for the program that is named, and starts none
			map[string]string{
				module + "/agent": "it reaches no editor",
				module + "/lsp":   "it reaches no editor",
			}),
	},
	{dir: "internal/testkit/liveeditor", forTests: true}, // an editor that lets agents in
	{
		dir:      "agent/mcp",
		not:      quiet,
		uses:     []string{"github.com/go-json-experiment/json/jsontext", "github.com/google/jsonschema-go", "github.com/modelcontextprotocol/go-sdk", "go.lsp.dev/jsonrpc2"},
		testUses: []string{"github.com/rogpeppe/go-internal", "go.uber.org/goleak"},
	},
	{
		dir: "agent",
		not: quiet,
		// x/sys knows who is at the other end of a socket, and when a process began. go-winio has the named pipes of Windows.
		uses:     []string{"github.com/Microsoft/go-winio", "go.lsp.dev/jsonrpc2", "golang.org/x/sys"},
		testUses: []string{"go.uber.org/goleak"},
	},
	{
		dir:  "agent/words", // answers as text for a model; reaches no editor
		uses: []string{"go.lsp.dev/jsonrpc2"},
		not:  quiet,
	},

	// The server.
	{
		dir:      "lsp",
		not:      quiet,
		uses:     []string{"github.com/go-json-experiment/json", "github.com/google/jsonschema-go", "go.lsp.dev/jsonrpc2", "go.lsp.dev/protocol"},
		testUses: []string{"github.com/rogpeppe/go-internal", "go.uber.org/goleak"},
	},
	{
		dir:      "lsp/watch", // when and what to merge; makes no edit of its own
		testUses: []string{"github.com/rogpeppe/go-internal"},
		not:      join(noJSON, noLSP, quiet),
	},
	{dir: "lsp/reference", uses: []string{"github.com/go-json-experiment/json/jsontext"}, not: join(noLSP, quiet)}, // tools of others, on the commands
	{dir: "lsp/view", not: join(noJSON, noLSP, quiet)},                                                             // what is shown; changes nothing
	{
		dir:      "lsp/transaction", // one command's edits; no connection of its own
		uses:     []string{"go.lsp.dev/jsonrpc2", "go.lsp.dev/protocol"},
		testUses: []string{"github.com/rogpeppe/go-internal"},
		not:      quiet,
	},
	{
		dir:  "lsp/proposal", // what is asked about; makes no edit
		uses: []string{"go.lsp.dev/protocol"},
		not:  quiet,
	},
	{
		dir:  "lsp/call", // what the log says of commands
		uses: []string{"go.lsp.dev/protocol"},
		not:  quiet,
	},
	{
		dir:  "lsp/patchdoc", // applies nothing, and knows no agents
		uses: []string{"go.lsp.dev/protocol", "go.lsp.dev/uri"},
		not:  join(noJSON, quiet, map[string]string{"go.lsp.dev/jsonrpc2": "it is given what tells the editor"}),
	},
	{
		dir:  "lsp/rpc", // knows no documents and no commands
		uses: []string{"go.lsp.dev/jsonrpc2", "go.lsp.dev/protocol"},
		not:  join(quiet, noFiles),
	},
	{
		dir:      "lsp/apply", // knows no commands and no agents
		uses:     []string{"go.lsp.dev/jsonrpc2", "go.lsp.dev/protocol", "go.lsp.dev/uri"},
		testUses: []string{"github.com/rogpeppe/go-internal"},
		not:      quiet,
	},
	{
		dir:      "internal/testkit/fakeeditor", // without a connection, on the documents themselves
		forTests: true,
		uses:     []string{"go.lsp.dev/jsonrpc2", "go.lsp.dev/protocol"},
	},
	{dir: "lsp/host", not: join(noJSON, noLSP, quiet)}, // what a server is to its parts
	{dir: "lsp/bounds", not: join(noLSP, quiet)},       // how much is taken
	{
		dir:  "lsp/review", // which edits, what is left of them, and what is offered for it
		uses: []string{"go.lsp.dev/protocol"},
		not:  join(noJSON, quiet),
	},
	{dir: "lsp/commands", not: join(noJSON, noLSP, quiet)}, // arguments, decoded; runs nothing
	{
		dir:  "lsp/schema", // knows no server
		uses: []string{"github.com/go-json-experiment/json", "github.com/google/jsonschema-go"},
		not:  join(quiet, map[string]string{module + "/workspace": "arguments are about any texts"}),
	},
	{dir: "lsp/patchplan", not: join(noJSON, noLSP, quiet)}, // changes nothing, asks no editor
	{
		dir:  "lsp/editor", // what initialize said; no documents, no connection
		uses: []string{"go.lsp.dev/protocol"},
		not:  join(quiet, noFiles),
	},
	{dir: "lsp/shares", not: join(noJSON, noLSP, quiet), only: []string{}},
	{dir: "lsp/lines", not: join(noJSON, noLSP, quiet)}, // texts, and where their lines have gone
	{dir: "lsp/page", not: join(noJSON, noLSP, quiet)},  // how much of a text is shown, to which client

	// Open documents.
	{
		dir: "workspace",
		not: join(noPlans, noJSON, noLSP, quiet),
	},
	{
		dir: "workspace/paths",
		// x/sys knows when a folder was last changed, by a clock that cannot be set, on every system by one name.
		uses: []string{"go.lsp.dev/uri", "golang.org/x/sys", "golang.org/x/text"},
		not:  join(noPlans, noJSON, noLSP, quiet),
	},
	{
		dir: "workspace/history", // texts and changes alone
		not: join(pure, noPlans, noJSON, noLSP),
	},

	// Editors, at the other end of a connection.
	{
		dir:      "internal/testkit/personas", // simulated editors, on the embedded one
		forTests: true,
		uses:     []string{"go.lsp.dev/jsonrpc2", "go.lsp.dev/protocol", "go.lsp.dev/uri"},
		testUses: []string{"go.uber.org/goleak"},
	},
	{
		dir:      "internal/testkit/headless", // the embedded one, with what tests ask of it
		forTests: true,
		uses:     []string{"go.lsp.dev/protocol", "go.lsp.dev/uri"},
	},
	{
		dir:         "editors",
		uses:        []string{"go.lsp.dev/jsonrpc2", "go.lsp.dev/protocol", "go.lsp.dev/uri"},
		testUses:    []string{"go.uber.org/goleak"},
		testsMayUse: []string{"agent"}, // an agent edits in the plugin's buffers
		not: join(quiet, map[string]string{
			module + "/agent":     "an editor talks to the server over the wire",
			module + "/lsp":       "an editor talks to the server over the wire",
			module + "/workspace": "an editor has buffers of its own",
		}),
	},
	{
		dir: "internal/disk",
		// x/sys exchanges two names in one step, and locks files on Windows.
		uses: []string{"golang.org/x/sys"},
		not: join(quiet, map[string]string{
			module + "/agent":     "a disk knows paths and bytes",
			module + "/lsp":       "a disk knows paths and bytes",
			module + "/workspace": "a disk knows paths and bytes",
		}),
		only: []string{"golang.org/x/sys"},
	},
	{dir: "internal/testkit/acts", forTests: true},

	// Edits and texts.
	{
		dir:      "edits/command",
		testUses: []string{"github.com/rogpeppe/go-internal"},
		not:      join(pure, noJSON, noLSP),
		only:     []string{},
	},
	{dir: "edits/place", not: join(pure, noJSON, noLSP), only: []string{}, testsMayUse: []string{"edits/command"}},
	{dir: "edits/reread", not: join(pure, noJSON, noLSP), only: []string{}},
	{dir: "edits/anchor", not: join(pure, noJSON, noLSP), only: []string{}},
	{dir: "edits/reindent", not: join(pure, noJSON, noLSP), only: []string{}},
	{dir: "edits/draft", not: join(pure, noJSON, noLSP), only: []string{}},
	{dir: "internal/testkit/hunktext", forTests: true},
	{
		dir:         "edits/patch",                                                                 // no texts, and no places in them
		testUses:    []string{"github.com/rogpeppe/go-internal", "github.com/sourcegraph/go-diff"}, // a second reader of unified diffs
		not:         join(pure, noJSON, noLSP),
		only:        []string{},
		testsMayUse: []string{"edits/command", "edits/place"},
	},
	{
		dir:      "edits/merge",
		testUses: []string{"github.com/rogpeppe/go-internal"},
		not:      join(pure, noJSON, noLSP),
		only:     []string{},
	},
	{dir: "edits/nearest", not: join(pure, noJSON, noLSP), only: []string{}}, // words errors, decides nothing
	{
		dir:  "edits/match", // texts as they are compared; no places
		uses: []string{"golang.org/x/text"},
		not:  join(pure, noJSON, noLSP),
		only: []string{"golang.org/x/text"},
	},
	{dir: "edits/changeset", not: join(pure, noJSON, noLSP), only: []string{}},
	{
		dir:         "edits/diff",
		uses:        []string{"github.com/sourcegraph/go-diff"}, // which prints diffs
		not:         join(pure, noJSON, noLSP),
		only:        []string{"github.com/sourcegraph/go-diff"},
		testsMayUse: []string{"edits/command", "edits/place"},
	},
	{dir: "edits/elision", not: join(pure, noJSON, noLSP), only: []string{}},
	{dir: "edits", not: join(pure, noJSON, noLSP), only: []string{}},
	{
		dir:  "edits/text",
		not:  join(pure, noJSON, noLSP),
		only: []string{"golang.org/x/text"},
	},

	// For tests of all of them. What judges messages shares no reading of LSP with the server.
	{dir: "internal/testkit/metamodel", not: noLSP, forTests: true},
	{dir: "internal/testkit/hostile", not: noLSP, forTests: true},
	{dir: "internal/testkit/gittest", forTests: true},
	{dir: "internal/testkit/chance", forTests: true},
	{dir: "internal/testkit/leaks", forTests: true, uses: []string{"go.uber.org/goleak"}},
	{dir: "internal/testkit/mutants", forTests: true},
	{dir: "internal/testkit/oneline", forTests: true},
	{dir: "internal/testkit/fakeserver", not: noLSP, forTests: true},
	{dir: "internal/testkit/modelapi", not: noLSP, forTests: true},
	{dir: "internal/testkit/wine", forTests: true},
	{dir: "internal/testkit/wire", not: noLSP, forTests: true},

	// Helpers of all of them.
	{
		dir:  "internal/contention",
		uses: []string{"golang.org/x/sys"}, // names the errors of Windows
		not:  quiet,
		only: []string{"golang.org/x/sys"},
	},
	{dir: "internal/plainjson", not: join(noLSP, quiet), only: []string{}},
	{dir: "internal/lazy", not: join(noLSP, quiet), only: []string{}},
	{dir: "internal/lists", not: join(noLSP, quiet), only: []string{}},
	{
		dir: "internal/framing", // bytes alone
		not: join(noJSON, noLSP, quiet, map[string]string{
			"net": "it is given a stream",
			"os":  "it is given a stream",
		}),
		only: []string{},
	},
}

var (
	noJSON = map[string]string{
		"encoding/json":                      "JSON lives in lsp and above",
		"github.com/go-json-experiment/json": "JSON lives in lsp and above",
	}
	noLSP = map[string]string{
		"go.lsp.dev/jsonrpc2": "connections live in lsp",
		"go.lsp.dev/protocol": "LSP types live in lsp",
	}
	// noPlans: of edits the workspace knows the model, changesets and diffs.
	noPlans = map[string]string{
		module + "/edits/anchor":   "commands are planned by lsp and above",
		module + "/edits/command":  "commands are planned by lsp and above",
		module + "/edits/draft":    "commands are planned by lsp and above",
		module + "/edits/elision":  "commands are planned by lsp and above",
		module + "/edits/match":    "commands are planned by lsp and above",
		module + "/edits/merge":    "commands are planned by lsp and above",
		module + "/edits/nearest":  "commands are planned by lsp and above",
		module + "/edits/patch":    "commands are planned by lsp and above",
		module + "/edits/place":    "commands are planned by lsp and above",
		module + "/edits/reindent": "commands are planned by lsp and above",
		module + "/edits/reread":   "commands are planned by lsp and above",
	}
	noFiles = map[string]string{
		module + "/workspace": "it knows no documents and no files",
		"os":                  "it knows no documents and no files",
	}
	// quiet is what docs/security.md says of all that the user runs.
	quiet = map[string]string{
		"net/http": "nothing is reached by HTTP, and nothing is asked by it",
		"os/exec":  "the server starts no programs",
		"plugin":   "the server starts no programs",
	}
	pure = map[string]string{
		"context":       "edits is pure: nothing in it waits",
		"io/fs":         "edits is pure: no I/O",
		"log":           "edits is pure: an error says it all",
		"math/rand":     "edits is pure: the same answer each time",
		"net":           "edits is pure: no I/O",
		"os":            "edits is pure: no I/O",
		"path/filepath": "edits knows no disk",
		"syscall":       "edits is pure: no I/O",
		"time":          "edits is pure: no clock",
	}
)

func join(ms ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range ms {
		maps.Copy(all, m)
	}
	return all
}

func without(m map[string]string, names ...string) map[string]string {
	rest := maps.Clone(m)
	for _, name := range names {
		delete(rest, name)
	}
	return rest
}

// folders are those of the repository's top level; dot folders are free, and
// bin and dist are built, not kept.
var folders = []string{
	"agent", "bench", "bin", "cmd", "dist", "docs", "edits", "editors", "internal", "lsp", "testdata", "workspace",
}

func TestLayers(t *testing.T) {
	repositoryPasses(t, func(tree fs.FS) ([]string, error) { return checkLayers(tree, layers) })
}

func TestFolders(t *testing.T) { repositoryPasses(t, checkFolders) }

// TestCodeMap holds the code map to the layers.
func TestCodeMap(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checkCodeMap(string(page), layers) {
		t.Error(c)
	}
}
