package lsp_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace/paths"
)

var update = flag.Bool("update", false, "rewrite generated files and goldens")

// What is generated from the declaration of the commands must be what is
// committed; `make generate` rewrites it.
func TestReferenceIsUpToDate(t *testing.T) {
	types := wireTypes(t)
	for name, want := range map[string]string{
		"docs/commands.md":            referenceMarkdown(),
		"docs/commands.schema.json":   types.schema(),
		".ci/packages/npm/index.d.ts": types.typeScript(),
	} {
		path := filepath.Join("..", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("%s is stale (%v); run: make generate", name, err)
		}
	}
}

// referenceMarkdown returns docs/commands.md.
func referenceMarkdown() string {
	var b strings.Builder
	b.WriteString("# Commands\n\n" +
		"<!-- Made by `make generate` from lsp/command.go. Do not edit. -->\n\n" +
		"For authors of agents and other programs. A command is sent as `workspace/executeCommand`, with one object in `arguments`. Lines and\n" +
		"columns count from 1, columns in code points, and ranges are inclusive. [Results and errors](build/results.md) has the answers.\n\n" +
		"## Arguments of every edit\n\nAn edit is in the editor's buffer, and not on disk before a save.\n\n" + argumentsHead)
	for _, a := range sharedArguments() {
		writeArgument(&b, a)
	}
	for i := range lsp.Commands {
		writeCommand(&b, &lsp.Commands[i])
	}
	boundsMarkdown(&b)
	guardedMarkdown(&b)
	return b.String()
}

// boundsMarkdown has the bounds: those that are settings, and then the others.
func boundsMarkdown(b *strings.Builder) {
	b.WriteString("\n## Bounds\n\n" +
		"An error names the bound that was exceeded, and its value.\n\n" +
		"These are settings, in `initializationOptions` or in the section `patchls` of the configuration. Values below the\n" +
		"least are raised to it, with a line in the log; 0 or less means the default. `max_message_bytes` applies before the editor\n" +
		"has sent its settings, so `patchls serve` has a flag for it, `--max-message-bytes`.\n\n" +
		"| setting | default | least | |\n|---|---|---|---|\n")
	for i := range bounds.All {
		if bd := &bounds.All[i]; bd.Setting {
			fmt.Fprintf(b, "| `%s` | %d | %d | %s |\n", bd.Name, bd.Default, bd.Least, bd.Doc)
		}
	}
	b.WriteString("\nThe others cannot be set:\n\n| bound | value | |\n|---|---|---|\n")
	for i := range bounds.All {
		if bd := &bounds.All[i]; !bd.Setting {
			fmt.Fprintf(b, "| `%s` | %d | %s |\n", bd.Name, bd.Default, bd.Doc)
		}
	}
}

// guardedMarkdown writes the files whose edits need the user's agreement.
func guardedMarkdown(b *strings.Builder) {
	b.WriteString("\n## Protected files\n\n" +
		"An editor or a tool starts programs that these files name, or reads in them what agents may do, without a build or a test.\n" +
		"Commands can read them. An edit of one is made only if the user agrees, as with `confirm`; if the editor cannot ask,\n" +
		"the error is `protected`. `*` matches any characters of a name, and a folder includes everything in it. If the workspace\n" +
		"folder itself is in such a folder, its files are not protected for that.\n" +
		"If such a name is a link, as `.vscode` to `conf`, what it leads to is protected like it.\n\n" +
		"Git takes a folder for a repository by what is in it: `HEAD` with `objects` and `refs`, or with `commondir`. There, `HEAD`, `config`,\n" +
		"`hooks` and what else git acts on are protected as well, whatever the folder is called. Files that would make a folder one of these\n" +
		"count, too, once the edit is made and all open documents are saved. A `.git` cannot be read or edited at all,\n" +
		"nor what it leads to as a link, or as a file that names a folder. Folders of hooks and files that git's settings name are protected if\n" +
		"they are in the list.\n\n" +
		"| files | why |\n|---|---|\n")
	for _, g := range paths.GuardedFiles() {
		fmt.Fprintf(b, "| `%s` | %s |\n", strings.Join(g.Names, "`, `"), g.Why)
	}
}

// sharedArguments returns the arguments that all commands that edit have, which the page has once.
func sharedArguments() (all []schema.Member) {
	at := slices.IndexFunc(lsp.Commands, func(c lsp.Command) bool { return c.Name == "apply_patch" })
	for _, a := range lsp.Commands[at].Arguments() {
		if slices.Contains([]string{"dry_run", "label", "save", "confirm"}, a.Name) {
			all = append(all, a)
		}
	}
	return all
}

// shellSees ends what the list of tools says of each command that edits; the page says it once.
const shellSees = " A shell sees the edit only after a save."

const argumentsHead = "| argument | type | default | |\n|---|---|---|---|\n"

func writeCommand(b *strings.Builder, c *lsp.Command) {
	fmt.Fprintf(b, "\n## %s%s\n\n%s\n", commands.Prefix, c.Name, strings.TrimSuffix(c.Doc, shellSees))
	shared := sharedArguments()
	own := slices.DeleteFunc(c.Arguments(), func(a schema.Member) bool {
		return slices.ContainsFunc(shared, func(s schema.Member) bool { return s.Name == a.Name && s.Doc == a.Doc })
	})
	if len(own) > 0 {
		b.WriteString("\n" + argumentsHead)
	}
	for _, a := range own {
		writeArgument(b, a)
	}
	if len(own) < len(c.Arguments()) {
		b.WriteString("\nAnd those [of every edit](#arguments-of-every-edit).\n")
	}
}

func writeArgument(b *strings.Builder, a schema.Member) {
	value := a.Default
	switch {
	case a.Required:
		value = "required"
	case value == "":
		value = "optional"
	default:
		value = "`" + value + "`"
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", a.Name, a.Type, value, a.Doc)
}
