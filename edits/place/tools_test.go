package place

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// toolCases is how many cases the tools get at once: a process for each would take longer than all else.
const toolCases = 2_500

// TestToolsRandom compares with git apply and GNU patch, which may pass over no line of context: diffs that git and diff
// have written are applied to texts that have changed since. Where both make what is meant, so must the plan, or it
// is refused. PATCHLS_SEED repeats a run, and PATCHLS_TOOL_CASES makes it longer.
func TestToolsRandom(t *testing.T) {
	t.Parallel()
	chance.Long(t)
	for _, tool := range []string{"git", "diff", "patch"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed, and there is nothing else to compare with", tool)
		}
	}
	seed, cases := chance.Seed(t), chance.Cases(t, "PATCHLS_TOOL_CASES", 5_000)
	r := rand.New(rand.NewPCG(seed, 2))
	seen := map[string]int{}
	for batch := 0; uint64(batch)*toolCases < cases; batch++ {
		all := make([]driftCase, min(toolCases, cases))
		for i := range all {
			all[i] = randomDriftCase(r)
		}
		for i, got := range byTools(t, all, batch%2 == 0, 3-batch/2%3) {
			why, wrong := all[i].judgeByTools(got)
			if wrong {
				t.Fatalf("PATCHLS_SEED=%d: %s\n%s\n%s", seed, why, all[i], got.diff)
			}
			seen[why]++
		}
	}
	t.Logf("seed %d: %v", seed, seen)
	if uint64(seen["as meant"]) < cases/3 {
		t.Errorf("seed %d: only %d of %d were applied", seed, seen["as meant"], cases)
	}
}

// toolResult is a diff, and the text that both tools make with it.
type toolResult struct {
	diff, text string
	agree      bool // both apply all of it, and make the same text
}

// byTools returns the diffs of cases, with some lines of context, and what git apply and GNU patch make with them.
func byTools(t *testing.T, cases []driftCase, ofGit bool, context int) []toolResult {
	t.Helper()
	dir := t.TempDir()
	defer func() { _ = os.RemoveAll(dir) }()
	name := func(i int) string { return fmt.Sprintf("%06d", i) }
	write := func(in, name, s string) {
		if err := os.WriteFile(filepath.Join(dir, in, name), []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, in := range []string{"old", "new", "git", "patch"} {
		if err := os.Mkdir(filepath.Join(dir, in), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range cases {
		write("old", name(i), c.text(" -<"))
		write("new", name(i), c.text(" +<"))
		write("git", name(i), c.now())
		write("patch", name(i), c.now())
	}
	run := func(in, name string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = filepath.Join(dir, in)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
			"GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "LC_ALL=C")
		out, err := cmd.Output()
		if e, failed := errors.AsType[*exec.ExitError](err); err != nil && (!failed || e.ExitCode() > 1) {
			t.Fatalf("%s %q: %v\n%s", name, args, err, e.Stderr)
		}
		return string(out)
	}
	lines := "-U" + strconv.Itoa(context)
	var all string
	if ofGit {
		all = run("", "git", "diff", "--no-index", "--no-prefix", "--no-color", lines, "old", "new")
	} else {
		all = run("", "diff", "-r", lines, "old", "new")
	}
	write("", "diff", all)
	run("git", "git", "apply", "--reject", "-p1", "--whitespace=nowarn", "../diff")
	run("patch", "patch", "-p1", "--fuzz=0", "--force", "--silent", "--no-backup-if-mismatch", "--input=../diff")

	results := make([]toolResult, len(cases))
	for _, d := range strings.Split("\n"+all, "\ndiff -")[1:] {
		head, _, _ := strings.Cut(d, "\n")
		i, err := strconv.Atoi(head[strings.LastIndexByte(head, '/')+1:])
		if err != nil {
			t.Fatal(err)
		}
		results[i].diff = "diff -" + d + "\n"
	}
	for i := range results {
		read := func(in string) string {
			_, err := os.Stat(filepath.Join(dir, in, name(i)+".rej"))
			if err == nil {
				return "rejected"
			}
			s, _ := os.ReadFile(filepath.Join(dir, in, name(i))) // a tool may delete an empty file
			return string(s)
		}
		results[i].text = read("git")
		results[i].agree = results[i].text == read("patch") && results[i].text != "rejected"
	}
	return results
}

// judgeByTools applies a diff, and says what came of it and whether that is wrong. What tools make may be refused if there
// are several places, or if the text reads as if a hunk had been applied.
func (c driftCase) judgeByTools(tools toolResult) (why string, wrong bool) {
	if tools.diff == "" {
		return "nothing to place", false
	}
	sent, err := patch.Parse(tools.diff)
	if err != nil {
		return err.Error(), true
	}
	told := tools.agree && tools.text == c.meant()
	src := edits.Source{Path: "a", Text: text.New(c.now())}
	plan, err := Plan(sent.Files[0], src, Options{})
	if e, refused := errors.AsType[*edits.Error](err); refused {
		made := func(h patch.Hunk) bool { return strings.Contains("\n"+c.now(), "\n"+draft.JoinLines(h.New())) }
		switch {
		case !told:
			return "refused, and a tool refuses it or makes another text", false
		case e.Kind == edits.ContextAmbiguous && len(e.Matches) > 1:
			return "several places", false
		case slices.ContainsFunc(sent.Files[0].Hunks, made):
			return "made already, perhaps", false
		}
		return e.Message, true
	}
	switch got := plan.Edits.Apply(src.Text).String(); {
	case got == c.meant():
		return "as meant", false
	case told:
		return fmt.Sprintf("it is %q, but both tools make %q: %q", got, tools.text, plan.Notes), true
	}
	return "another text than is meant, as by a tool", false
}
