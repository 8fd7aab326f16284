package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/gittest"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/hostile"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace/paths"
)

// contractKinds are all kinds of errors that there are (docs/build/results.md).
var contractKinds = []string{
	"invalid_params", "file_not_found", "already_exists", "outside_workspace", "protected", "is_directory", "binary_file", "not_utf8", "too_large",
	"read_only", "line_out_of_range", "invalid_range", "overlapping_edits", "no_match", "multiple_matches", "no_change", "already_applied", "placeholder",
	"patch_syntax", "anchor_not_found", "context_not_found", "context_ambiguous", "stale", "rejected_by_editor", "not_settled", "editor_gone", "timeout",
	"cancelled", "undo_conflict", "nothing_to_undo", "unsupported",
}

const hostileSecret = "the secret of a file outside"

// judged is an honest editor in which a hostile peer runs commands. They must not reach
// what is forbidden to them.
type judged struct {
	*session
	outside string
	gone    map[string]bool // files that commands have deleted or renamed, which stay on disk until that is saved
}

// hostileTexts are what the documents of a judged session begin with.
var hostileTexts = map[string]string{
	"a.txt": "one\ntwo\nthree\nline of text\n\none\n", "b.txt": "one\r\ntwo\r\n", "c.txt": "one\ntwo", "sub/d.txt": "\ufeffone\n\tthree\n", "e.txt": "",
}

func startJudged(t *testing.T) *judged {
	t.Helper()
	j := &judged{session: start(t, hostileTexts, headless.Options{}), gone: map[string]bool{}}
	j.outside = filepath.Join(filepath.Dir(j.root), "outside.txt")
	writeFile(t, j.outside, hostileSecret)
	writeFile(t, j.path(".git/config"), hostileSecret)
	for name := range hostileTexts {
		if name != "c.txt" { // this one stays closed, until a command opens it
			j.open(name)
		}
	}
	return j
}

// texts returns what the editor has, and disk where nothing is open.
func (j *judged) texts() gittest.Tree {
	all := gittest.Read(j.t, j.root)
	maps.DeleteFunc(all, func(name, _ string) bool { return j.gone[name] })
	for _, b := range j.Buffers() {
		name, err := filepath.Rel(j.root, b.Path())
		if b.Path() == "" || err != nil {
			name = b.URI()
		}
		all[name] = b.Text()
	}
	return all
}

// playJudged runs the commands of a case in an editor of its own, and judges each.
func playJudged(t *testing.T, steps []hostile.Step) (failed error) {
	t.Helper()
	t.Run("", func(t *testing.T) {
		j := startJudged(t)
		for _, s := range steps {
			if err := j.call(s.Text()); err != nil {
				failed = fmt.Errorf("%w\nby %.2000s", err, s.Body)
				return
			}
		}
	})
	return failed
}

func (j *judged) call(body string) error {
	if !json.Valid([]byte(body)) {
		return nil // an answer to that has no id, and it is for TestHostileEditor to take
	}
	before := j.texts()
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	defer cancel()
	var raw json.RawMessage
	err := j.Call(ctx, "workspace/executeCommand", json.RawMessage(body), &raw)
	if outside, _ := os.ReadFile(j.outside); string(outside) != hostileSecret {
		return errors.New("a file outside was written")
	}
	if strings.Contains(string(raw), hostileSecret) {
		return errors.New("a file outside was read")
	}
	after := j.texts()
	if after[".git/config"] != hostileSecret {
		return errors.New("a protected file was written")
	}
	if err != nil {
		return errors.Join(j.judgeError(err), unchanged(before, after, "though it failed with "+err.Error()))
	}
	return j.judgeResult(body, raw, before, after)
}

func (j *judged) judgeError(err error) error {
	var wire *jsonrpc2.Error
	if !errors.As(err, &wire) {
		return fmt.Errorf("no answer: %w", err)
	}
	var data transaction.ErrorData
	_ = json.Unmarshal(wire.Data, &data)
	code := map[string]jsonrpc2.Code{"invalid_params": -32602, "cancelled": -32800}[string(data.Kind)]
	if code == 0 {
		code = -32803
	}
	switch {
	case strings.Contains(wire.Message, hostileSecret), strings.Contains(string(wire.Data), hostileSecret):
		return errors.New("a file outside was read")
	case len(wire.Data) == 0 && wire.Code == -32602: // the request is none, or the command is unknown
		return nil
	case !slices.Contains(contractKinds, string(data.Kind)), wire.Code != code, wire.Message == "":
		return fmt.Errorf("error %d of the kind %q: %s", wire.Code, data.Kind, wire.Message)
	}
	return nil
}

func unchanged(before, after gittest.Tree, why string) error {
	if maps.Equal(before, after) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(join(before, after))) {
		if before[name] != after[name] {
			return fmt.Errorf("%s changed from %.300q to %.300q, %s", name, before[name], after[name], why)
		}
	}
	return nil
}

func join(trees ...gittest.Tree) gittest.Tree {
	all := gittest.Tree{}
	for _, tree := range trees {
		maps.Copy(all, tree)
	}
	return all
}

// judgeResult compares an answer with what has happened to the texts.
func (j *judged) judgeResult(body string, raw json.RawMessage, before, after gittest.Tree) error {
	var r transaction.Result
	_ = json.Unmarshal(raw, &r) // of another kind of answer there is nothing to judge here
	var asked struct {
		Command   string
		Arguments []struct {
			DryRun bool `json:"dry_run"`
		}
	}
	_ = json.Unmarshal([]byte(body), &asked)
	switch {
	case strings.HasPrefix(asked.Command, "patchls.") && isReference(asked.Command):
		return nil // its answer does not say what it did
	case len(asked.Arguments) > 0 && asked.Arguments[0].DryRun:
		return unchanged(before, after, "by a dry run")
	case !r.Applied:
		return unchanged(before, after, "though nothing was applied")
	case !r.Verified && len(r.Notes) == 0: // they say that the editor did not open the file
		return fmt.Errorf("the edit is not verified, in an honest editor: %s", raw)
	}
	named := map[string]transaction.FileResult{}
	for _, f := range r.Files {
		f.Path, f.NewPath = j.nameOf(f.Path), j.nameOf(f.NewPath)
		named[f.Path] = f
		j.gone[f.Path] = f.Change == "delete" || f.NewPath != ""
		if f.NewPath != "" {
			j.gone[f.NewPath] = false
			named[f.NewPath] = transaction.FileResult{}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(join(before, after))) {
		was, now := before[name], after[name]
		f, is := named[name]
		switch {
		case !is && was != now:
			return fmt.Errorf("%s changed from %.300q to %.300q, and the answer does not say so", name, was, now)
		case is && f.Change == "update":
			if f.NewPath != "" {
				now = after[f.NewPath]
			}
			if err := outsideHunks(was, now, f.Hunks); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// nameOf returns the name in the folder of a path in an answer, which is a URI if the name cannot be shown.
func (j *judged) nameOf(path string) string {
	key, err := paths.KeyOf(path)
	if abs, ok := key.FilePath(); err == nil && ok {
		if name, err := filepath.Rel(j.root, abs); err == nil {
			return filepath.ToSlash(name)
		}
	}
	return path
}

func isReference(command string) bool {
	for i := range lsp.Commands {
		if "patchls."+lsp.Commands[i].Name == command {
			return lsp.Commands[i].Imitates()
		}
	}
	return false
}

// outsideHunks names a line that changed but is in no hunk of an answer.
func outsideHunks(was, now string, hunks []edits.Hunk) error {
	old, new := linesOf(was), linesOf(now)
	at, from := 0, 0
	for _, h := range hunks {
		n := h.StartLine - 1 - from
		if n < 0 || from+n > len(new) || at+n+h.OldLines > len(old) || h.EndLine > len(new) || h.EndLine-h.StartLine+1 != h.NewLines {
			return fmt.Errorf("the hunks %+v are not of %.300q and %.300q", hunks, was, now)
		}
		if !slices.Equal(old[at:at+n], new[from:from+n]) {
			return fmt.Errorf("%.300q became %.300q beside the hunks %+v", was, now, hunks)
		}
		at, from = at+n+h.OldLines, h.EndLine
	}
	if !slices.Equal(old[at:], new[from:]) {
		return fmt.Errorf("%.300q became %.300q behind the hunks %+v", was, now, hunks)
	}
	return nil
}

// linesOf returns the lines with their ends.
func linesOf(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// hostileArguments are commands with whatever arguments.
func hostileArguments() hostile.Game {
	draw := hostileCalls(hostileWords(slices.Sorted(maps.Keys(hostileTexts))...))
	return hostile.Game{
		Kind: "arguments", Corpus: hostileCorpus, Play: playJudged,
		Draw: func(d *hostile.Dice) []hostile.Step {
			var steps []hostile.Step
			for range 1 + d.Int(8) {
				body := draw(d)
				if d.Once(2) {
					body = hostile.Spoil(d, body, 1+d.Int(3))
				}
				steps = append(steps, hostile.Step{Verb: hostile.Call, Body: body})
			}
			return steps
		},
	}
}

// hostilePatches are patches in any dialect.
func hostilePatches() hostile.Game {
	names := append(slices.Sorted(maps.Keys(hostileTexts)), "none.txt")
	return hostile.Game{
		Kind: "patches", Corpus: hostileCorpus, Play: playJudged,
		Draw: func(d *hostile.Dice) []hostile.Step {
			var steps []hostile.Step
			for range 1 + d.Int(4) {
				arguments := map[string]any{"patch": hostile.Patch(d, names, []string{"one", "two", "three", "line of text", "", "\tthree"})}
				if d.Once(2) {
					arguments["path"] = hostile.Pick(d, names)
				}
				for _, rare := range []struct {
					name  string
					value any
				}{{"on_ambiguous", "first"}, {"match", "exact"}, {"dry_run", true}} {
					if d.Once(5) {
						arguments[rare.name] = rare.value
					}
				}
				steps = append(steps, hostile.Step{Verb: hostile.Call, Body: fmt.Sprintf(`{"command":"patchls.apply_patch","arguments":[%s]}`, asJSON(arguments))})
			}
			return steps
		},
	}
}

func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// TestHostileArguments: a command answers or fails with a kind of the contract, and the
// texts are as its answer says.
func TestHostileArguments(t *testing.T) { hostileArguments().Hunt(t) }

func TestHostileArgumentsCorpus(t *testing.T) { hostileArguments().Replay(t) }

// TestHostilePatches: a patch that is refused leaves all texts as they were, one that is
// not changes nothing beside its hunks.
func TestHostilePatches(t *testing.T) { hostilePatches().Hunt(t) }

func TestHostilePatchesCorpus(t *testing.T) { hostilePatches().Replay(t) }
