package lsp_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp/transaction"
)

// typedMark is all that the user types beside editors that err, so that it is known what the text
// is without it.
const typedMark = "§"

// wrongSteps is how many commands [TestWrongEditors] sends by default, and wrongRun how many to one editor.
const (
	wrongSteps = 2500
	wrongRun   = 25
)

// TestWrongEditors has editors of all kinds make every second edit wrong in a small way, while the user
// types, and holds each verified answer to the text that it should have led to. PATCHLS_WRONG_STEPS
// makes it longer.
func TestWrongEditors(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	runs := int(chance.Cases(t, "PATCHLS_WRONG_STEPS", wrongSteps)) / wrongRun
	kinds := wrongPersonas()
	said := map[string]int{}
	for n := range runs {
		p := kinds[n%len(kinds)]
		way := personas.Wrongs()[r.IntN(len(personas.Wrongs()))]
		p.Faults, p.Seed = personas.Faults{Wrong: 0.5, Way: &way}, r.Uint64()
		bubble(t, func(t *testing.T) { runWrong(t, p, rand.New(rand.NewPCG(p.Seed, 1)), said) })
		if t.Failed() {
			t.Fatalf("%s, seed %d, run %d", p.Name, seed, n)
		}
	}
	t.Logf("%d commands: %v", runs*wrongRun, said)
	if said["verified"] < runs || said["not_settled"] < runs {
		t.Errorf("of %d commands: %v", runs*wrongRun, said)
	}
}

// TestTypingIsNotTakenForAFault has a user type without rest in editors that make no fault: at most one
// command of a hundred is not settled for that.
func TestTypingIsNotTakenForAFault(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	steps := int(chance.Cases(t, "PATCHLS_WRONG_STEPS", wrongSteps))
	for _, p := range simPersonas() {
		said := map[string]int{}
		n := max(1, steps/wrongRun/20)
		for range n {
			p.Seed = r.Uint64()
			bubble(t, func(t *testing.T) { runWrong(t, p, rand.New(rand.NewPCG(p.Seed, 1)), said) })
			if t.Failed() {
				t.Fatalf("%s, seed %d", p.Name, seed)
			}
		}
		t.Logf("%-14s %d commands: %v", p.Name, n*wrongRun, said)
		if 100*said["not_settled"] > n*wrongRun || said["verified"] < n*wrongRun/6 {
			t.Errorf("beside a user who types, %s answers %v", p.Name, said)
		}
	}
}

// simPersonas returns the measured editors, and one that is not known by its name.
func simPersonas() []personas.Persona {
	all := append(personas.All(), personas.Persona{Name: "unknown", ClientName: "unknown"})
	return slices.DeleteFunc(all, func(p personas.Persona) bool { return p.Name == "hostile" })
}

// wrongPersonas returns those that are made to err. Neovim without the plugin says yes to an edit that it drops, so a
// wrong deletion cannot be told from the user's there.
func wrongPersonas() []personas.Persona {
	return slices.DeleteFunc(simPersonas(), func(p personas.Persona) bool { return p.Name == "neovim" })
}

// runWrong sends commands to an editor while the user types, and counts the answers.
func runWrong(t *testing.T, p personas.Persona, r *rand.Rand, said map[string]int) {
	t.Helper()
	s := startInBubble(t, map[string]string{"a.txt": wrongText(r)}, p.Options(headless.Options{}))
	b := s.open("a.txt")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		typeMarks(b, rand.New(rand.NewPCG(p.Seed, 2)), stop)
	}()
	way := p.Faults.Way
	moves := way != nil && (*way == personas.WrongColumn || *way == personas.WrongLine || *way == personas.WrongUnmoved)
	bare := func() string { return strings.ReplaceAll(b.Text(), typedMark, "") }
	for n := range wrongRun {
		before := bare()
		if len(before) < 50 || len(before) > 5000 {
			break // little is left of it, or too much has been put in
		}
		_, _ = s.Execute(t.Context(), "patchls.view", args{"path": "a.txt"}) // line numbers are of the text that was shown last
		command, a, want := wrongCommand(r, n, before, moves)
		a["path"] = "a.txt"
		raw, err := s.Execute(t.Context(), "patchls."+command, a)
		var answer transaction.Result
		switch {
		case err != nil:
			said[string(failureOf(t, raw, err).Kind)]++
		case json.Unmarshal(raw, &answer) != nil || !answer.Verified:
			said["unverified"]++
		case bare() != want:
			t.Errorf("%s: command %d, %s %v is verified, %s:\n%q became\n%q, not\n%q", p.Name, n, command, a, raw, before, b.Text(), want)
		default:
			said["verified"]++
		}
		if t.Failed() {
			break
		}
		pass(time.Duration(r.IntN(2000)) * time.Millisecond)
	}
	close(stop)
	<-stopped
}

// wrongText returns lines in which letters, brackets and blanks repeat.
func wrongText(r *rand.Rand) string {
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, "%s\n", strings.Join([]string{
			[]string{"", "\t", "  "}[r.IntN(3)], []string{"aab(", "bread ", "xx", "(("}[r.IntN(4)], fmt.Sprintf("k%dk", i), []string{")", "", " ", "bb", "kk", "; x = 1"}[r.IntN(6)],
		}, ""))
	}
	return b.String()
}

// wrongCommand returns a command on a text, and the text that it should lead to. If the editor makes it
// elsewhere, it inserts a long text: another change may be the user's.
func wrongCommand(r *rand.Rand, n int, was string, moves bool) (command string, a args, want string) {
	lines := slices.Collect(strings.Lines(was))
	i := r.IntN(max(1, strings.Count(was, "\n"))) // not a last line that has no line end
	line := strings.TrimSuffix(lines[i], "\n")
	put := []string{fmt.Sprintf("new%d", n), fmt.Sprintf("n%d n%d(x)", n, n), "x", "bb", fmt.Sprintf("k%d\n\tk%d", n, n)}[r.IntN(5)]
	kind := r.IntN(5)
	if moves {
		put, kind = fmt.Sprintf("new%d", n), []int{0, 3}[r.IntN(2)]
	}
	if kind > 2 && strings.Count(was, line) > 1 {
		kind = 0
	}
	switch kind {
	case 0:
		return "insert", args{"after_line": i + 1, "content": put}, strings.Join(lines[:i+1], "") + put + "\n" + strings.Join(lines[i+1:], "")
	case 1:
		return "delete_lines", args{"start_line": i + 1, "end_line": i + 1}, strings.Join(lines[:i], "") + strings.Join(lines[i+1:], "")
	case 2:
		old := []string{"k", "b", "x", "("}[r.IntN(4)]
		put = []string{fmt.Sprintf("N%d", n), "yy"}[r.IntN(2)]
		return "str_replace", args{"old_str": old, "new_str": put, "replace_all": true}, strings.ReplaceAll(was, old, put)
	}
	at := 0
	if line != "" {
		at = r.IntN(len(line))
	}
	return "str_replace", args{"old_str": line, "new_str": line[:at] + put + line[at:]}, strings.Replace(was, line, line[:at]+put+line[at:], 1)
}

// typeMarks has the user type until stop is closed, now and then next to the last change.
func typeMarks(b *headless.Buffer, r *rand.Rand, stop <-chan struct{}) {
	was := b.Text()
	for {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(20+r.IntN(400)) * time.Millisecond):
		}
		now := b.Text()
		off := r.IntN(len(now) + 1)
		if now != was && r.IntN(2) == 0 { // where the edit was
			for off = 0; off < min(len(now), len(was)) && now[off] == was[off]; {
				off++
			}
		}
		for off > 0 && off < len(now) && now[off]&0xC0 == 0x80 {
			off--
		}
		if b.Insert(off, typedMark) == nil {
			was = b.Text()
		}
	}
}
