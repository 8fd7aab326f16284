package lsp_test

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp"
)

// prey is a session in a workspace in which another program puts links to what is outside, with an observer outside.
type prey struct {
	*session
	base   string            // holds the workspace ws, the folder other with the link to it, link, and out, which is outside
	dice   *rand.Rand        // of the user and the agent
	links  *rand.Rand        // of the program that swaps; held by mu
	before map[string]string // what was outside at first
	editor string
	late   string // what the program replaces right before the editor writes
	back   bool   // and puts back right after
	races  bool   // the program works while the editor does what it is asked to

	mu       sync.Mutex
	away     map[string]string // where the program has put what its links have replaced, by the path of the link
	quiet    bool              // the program does nothing
	told     []string          // warnings of the server
	leaks    []string
	accepted int // commands
	read     int // of them, those that have told what the editor has read outside by itself
	saved    int // of them, those that have saved
}

// The files of the workspace, of which there are others of the same name outside. Those with a mark hold the same text there.
var preyFiles = []string{"a.txt", "b.txt", "same.txt", "d/c.txt", "d/e/f.txt", "d/e/same.txt"}

// cfgFile is a file to which a guarded name leads, and which has the text that other files have at first.
const cfgFile = "ws/p/cfg/x"

func (p *prey) path(name string) string { return filepath.Join(p.base, name) }

// newPrey starts a session. Its editor is one of the simulated ones, or the embedded one.
func newPrey(t *testing.T, editor string, seed uint64) *prey {
	t.Helper()
	p := &prey{editor: editor, base: t.TempDir(), dice: rand.New(rand.NewPCG(seed, 1)), links: rand.New(rand.NewPCG(seed, 2)), away: map[string]string{}}
	for _, name := range preyFiles {
		for _, in := range []string{"ws", "other", "out"} {
			text := "one\ntwo\nthree\n"
			if in == "out" && !strings.Contains(name, "same") {
				text = "one\nsecret of " + name + "\nthree\n"
			}
			writeFile(t, p.path(in+"/"+name), text)
		}
	}
	for _, in := range []string{"ws/.git/config", "out/.git/config", "ws/p/r/config"} {
		writeFile(t, p.path(in), "secret of git\none\n")
	}
	writeFile(t, p.path(cfgFile), "one\ntwo\nthree\n")
	d, err := os.Open(p.path("ws/d"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	for link, to := range map[string]string{
		"link": "other", "ws/p/.git": "r", "ws/p/.husky": "cfg", "ws/q": fmt.Sprintf("/proc/self/fd/%d", d.Fd()),
	} {
		if err := os.Symlink(to, p.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	p.before = p.outside()
	roots := []string{p.path("ws"), p.path("link")}
	opts := headless.Options{Roots: roots}
	if editor == "embedded" {
		opts.Roots, opts.Disk.Root = roots[:1], roots[0]
	} else {
		persona, ok := personas.Named(editor)
		if !ok {
			t.Fatal(editor)
		}
		opts = persona.Options(opts)
	}
	opts.Trace, opts.Disk.AllowSave = p.trace, func(path string) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.late != "" {
			p.put(p.path(p.late), strings.Replace(p.path(p.late), "/ws/", "/out/", 1))
		} else if p.races && !p.quiet && p.links.IntN(3) == 0 {
			p.swap(path)
		}
		return nil
	}
	ours, theirs, check := watchedPipe(t)
	p.session = &session{t: t, root: roots[0], done: make(chan error, 1), check: check}
	go func() {
		p.done <- lsp.Serve(context.Background(), ours, lsp.Options{Version: "test", Log: slog.New(preyLog{slog.DiscardHandler, p})})
	}()
	e, err := headless.Start(context.Background(), theirs, opts)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Editor = e
	return p
}

// preyLog records the warnings of the server.
type preyLog struct {
	slog.Handler
	p *prey
}

func (l preyLog) Enabled(context.Context, slog.Level) bool { return true }

func (l preyLog) Handle(_ context.Context, r slog.Record) error {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	if r.Level >= slog.LevelWarn {
		l.p.told = append(l.p.told, r.Message)
	}
	return nil
}

// trace sees all messages. What the server sends the editor to put into a text is not from outside.
func (p *prey) trace(dir string, message []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := string(message); dir == "receive" && strings.Contains(s, "workspace/applyEdit") && strings.Contains(s, secretToken) {
		p.leaks = append(p.leaks, s)
	}
	if was := p.away[p.path(p.late)]; p.back && was != "" && dir == "send" && strings.Contains(string(message), `"saved":true`) {
		_ = os.Remove(p.path(p.late))
		_ = os.Rename(was, p.path(p.late))
	}
	s := string(message)
	if p.session == nil || p.Editor == nil || strings.Contains(s, `"initialize`) || p.quiet || p.links.IntN(3) != 0 {
		return
	}
	// Before the editor does what it is asked to. Those that write files at once do not look before that.
	// The server looks again before each file of a patch, also after the editor has made the one before.
	made := dir == "send" && strings.Contains(s, `"applied":true`)
	isAsked := p.editor == "embedded" || strings.Contains(s, "patchls/save") || strings.Contains(s, "workspace/applyEdit") && (p.races || p.editor == "")
	switch {
	case made && !p.races: // the next file of the patch
		p.put(p.path(pick(p.links, preyIn("ws"))), p.path(cfgFile))
	case isAsked && dir == "receive":
		p.swap(s)
	}
	if p.races && dir == "send" && strings.Contains(s, `"saved":true`) {
		p.putBack()
	}
}

// swap replaces a file, a folder or a workspace folder by a link that leads out, or puts one back. It is one that is
// named in what the program has seen, if there is such a one.
func (p *prey) swap(about string) {
	if len(p.away) > 0 && p.links.IntN(2) == 0 {
		p.putBack()
		return
	}
	all := append([]string{"ws", "link", "ws/d", "ws/d/e", "other/d"}, preyIn("ws")...)
	if named := slices.DeleteFunc(slices.Clone(all), func(at string) bool { return !strings.Contains(about, at) }); len(named) > 0 {
		all = named
	}
	path, out := p.path(pick(p.links, all)), p.path("out")
	if _, rest, ok := strings.Cut(strings.TrimPrefix(path, p.base+"/"), "/"); ok {
		out = filepath.Join(out, rest)
	}
	switch n := p.links.IntN(6); {
	case n == 0:
		out = p.path("ws/.git/config")
	case n == 1 && !p.races: // an editor that is asked already would write it: it does not know which files are guarded
		out = p.path(cfgFile)
	}
	p.put(path, out)
}

// putBack puts back what a link has replaced.
func (p *prey) putBack() {
	all := slices.Sorted(maps.Keys(p.away))
	if len(all) == 0 {
		return
	}
	path := pick(p.links, all)
	if p.isInside(filepath.Dir(path)) && os.Remove(path) == nil && os.Rename(p.away[path], path) == nil {
		delete(p.away, path)
	}
}

// put puts a link in place of what is at a path.
func (p *prey) put(path, out string) {
	if p.away[path] != "" || !p.isInside(filepath.Dir(path)) {
		return // this program has put a link there itself
	}
	for _, name := range preyFiles { // that which holds the same text is what an editor may take for the file
		raw, err := os.ReadFile(p.path("ws/" + name))
		if err == nil && strings.Contains(name, "same") && p.isInside(filepath.Dir(p.path("ws/"+name))) && p.isInside(p.path("ws/"+name)) {
			writeFile(p.t, p.path("out/"+name), string(raw))
			p.before[p.path("out/"+name)] = string(raw)
		}
	}
	was := filepath.Join(p.base, fmt.Sprintf("away%d", len(p.away)+int(p.links.Uint32())))
	if os.Rename(path, was) == nil {
		p.away[path] = was
		_ = os.Symlink(out, path)
	}
}

func preyIn(folder string) (names []string) {
	for _, name := range preyFiles {
		names = append(names, folder+"/"+name)
	}
	return names
}

// isInside reports whether a folder leads to the workspace, or holds it.
func (p *prey) isInside(folder string) bool {
	real, err := filepath.EvalSymlinks(folder)
	return err == nil && real != p.path("out") && !strings.HasPrefix(real, p.path("out")+"/")
}

// namedFiles are the files of the workspace that protected and guarded names lead to, and those by a link that leads elsewhere
// in each process.
var namedFiles = []string{"p/r/config", "p/cfg/x", "p/.husky/x", "q/c.txt", "q/e/f.txt"}

// outside returns what is outside, in the folders of git, and in that of git's hooks, about which the user is not asked.
func (p *prey) outside() map[string]string {
	found := map[string]string{}
	for _, dir := range []string{p.path("out"), p.path("ws/.git"), p.path("ws/p/r"), p.path("ws/p/cfg")} {
		if dir != p.path("out") && !p.isInside(filepath.Dir(dir)) {
			continue
		}
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				raw, _ := os.ReadFile(path)
				found[path] = string(raw)
			}
			return nil
		})
	}
	return found
}

// command runs a random command, and returns what the agent is told.
func (p *prey) command() (command, told string) {
	name := pick(p.dice, preyFiles)
	if p.races && p.dice.IntN(2) == 0 {
		name = pick(p.dice, []string{"same.txt", "d/e/same.txt"})
	}
	if p.dice.IntN(8) == 0 {
		name = pick(p.dice, namedFiles)
	}
	path := pick(p.dice, []string{name, p.path("ws/" + name), p.path("link/" + name), p.path("out/" + name)})
	a := args{"path": path}
	command = pick(p.dice, []string{"view", "view", "document", "list", "str_replace", "insert", "write", "create", "delete", "move", "patch", "patch", "save", "save", "undo"})
	if p.editor == "" && (command == "delete" || command == "move") {
		command = "view" // it removes files only when it saves, by their names; of real editors only the embedded one does
	}
	switch command {
	case "document":
		a = args{"uri": "file://" + path}
	case "list", "undo":
		a = args{}
	case "str_replace":
		a["old_str"], a["new_str"], a["save"] = pick(p.dice, []string{"one", "two", "three"}), pick(p.dice, []string{"one", "2", "two\nmore"}), p.dice.IntN(2) == 0
	case "insert":
		a["after_line"], a["content"], a["save"] = 0, "new", p.dice.IntN(2) == 0
	case "write":
		a["content"] = pick(p.dice, []string{"one\ntwo\nthree\n", "other\n"})
	case "create":
		a = args{"path": filepath.Join(filepath.Dir(path), fmt.Sprintf("new%d.txt", p.dice.IntN(5))), "content": "new\n", "save": true}
	case "delete":
		a, command = args{"patch": "*** Begin Patch\n*** Delete File: " + path + "\n*** End Patch\n", "save": true}, "apply_patch"
	case "move":
		a, command = args{"patch": "*** Begin Patch\n*** Update File: " + path + "\n*** Move to: moved.txt\n@@\n-one\n+1\n*** End Patch\n"}, "apply_patch"
	case "patch":
		var b strings.Builder
		for _, i := range p.dice.Perm(len(preyFiles))[:2+p.dice.IntN(2)] {
			fmt.Fprintf(&b, "*** Update File: %s\n@@\n-%s\n+%s\n", preyFiles[i], pick(p.dice, []string{"one", "two", "three"}), pick(p.dice, []string{"one", "2", "more"}))
		}
		a, command = args{"patch": "*** Begin Patch\n" + b.String() + "*** End Patch\n", "save": p.dice.IntN(2) == 0}, "apply_patch"
	case "save":
		if a = (args{"paths": []string{path}}); p.dice.IntN(2) == 0 {
			a = args{}
		}
	}
	raw, err := p.Execute(context.Background(), "patchls."+command, a)
	if err == nil {
		p.accepted++
		if strings.Contains(fmt.Sprint(a), "/ws/q/") {
			p.mu.Lock()
			p.leaks = append(p.leaks, "a name that leads elsewhere in each process was accepted")
			p.mu.Unlock()
		}
	}
	if strings.Contains(string(raw), `"saved":true`) {
		p.saved++
	}
	return fmt.Sprintf("%s %v", command, a), fmt.Sprintf("%s %+v", raw, err)
}

// user does what the user and the editor do by themselves. They save only what leads inside.
func (p *prey) user() string {
	p.mu.Lock()
	was := p.quiet
	p.quiet = true
	p.mu.Unlock()
	defer func() { p.mu.Lock(); p.quiet = was; p.mu.Unlock() }()
	path := p.path(pick(p.dice, []string{"ws/", "ws/", "link/"}) + pick(p.dice, preyFiles))
	open := p.Buffers()
	if len(open) == 0 || p.dice.IntN(4) == 0 {
		if p.isInside(filepath.Dir(path)) && p.isInside(path) {
			_, _ = p.Open(path)
		}
		return "open " + path
	}
	b := pick(p.dice, open)
	leads, _ := filepath.EvalSymlinks(b.Path())
	inside := p.isInside(b.Path()) && !strings.Contains(leads, "/.git/") && !strings.Contains(leads, "/p/cfg/") && !strings.Contains(b.Text(), secretToken)
	switch p.dice.IntN(7) {
	case 6:
		return p.linkOut(b)
	case 0:
		b.Close()
		return "close " + b.Path()
	case 1:
		if inside {
			_ = b.Save()
			pass(200 * time.Millisecond) // VS Code reports it late
		}
		return "save " + b.Path()
	case 2:
		_ = b.Insert(0, "typed\n")
		return "type in " + b.Path()
	case 3, 4: // an editor reads a file again if it is not edited
		if !b.Dirty() && p.editor != "embedded" { // which reads no file again
			_ = personas.Reload(p.Editor, b)
		}
		return "reload " + b.Path()
	}
	_ = p.Notify(context.Background(), "workspace/didChangeWatchedFiles", args{"changes": []args{{"uri": b.URI(), "type": 2}}})
	pass(time.Second)
	return "tell of " + b.Path()
}

// linkOut has a program put another name of a file outside in place of that of a document with unsaved text, which may have
// several names itself, tell of it, and put the document's file back.
func (p *prey) linkOut(b *headless.Buffer) string {
	path := b.Path()
	_, name, _ := strings.Cut(strings.TrimPrefix(path, p.base+"/"), "/")
	if !b.Dirty() || !slices.Contains(preyFiles, name) || !p.isInside(filepath.Dir(path)) || !p.isInside(path) {
		return "link nothing"
	}
	tell := func() {
		_ = p.Notify(context.Background(), "workspace/didChangeWatchedFiles", args{"changes": []args{{"uri": b.URI(), "type": 2}}})
		pass(3 * time.Second)
	}
	was := filepath.Join(p.base, "was")
	names := p.dice.IntN(3)
	for i := range names {
		_ = os.Link(path, fmt.Sprintf("%s%d", was, i))
	}
	tell()
	if os.Rename(path, was) == nil {
		if err := os.Link(p.path("out/"+name), path); err != nil {
			p.t.Fatal(err)
		}
		tell()
		_ = os.Rename(was, path)
		tell()
	}
	for i := range names {
		_ = os.Remove(fmt.Sprintf("%s%d", was, i))
	}
	return fmt.Sprintf("link %s, which has %d more names", path, names)
}

// hunt does so many steps, and returns the first that has read or written outside.
func (p *prey) hunt(steps int) (written int, err error) {
	var done []string
	for range steps {
		p.mu.Lock()
		if p.links.IntN(2) == 0 { // the program works between the steps
			p.swap("")
		}
		warned := len(p.told)
		p.mu.Unlock()
		var what, told string
		if p.dice.IntN(2) == 0 {
			what = p.user()
		} else {
			what, told = p.command()
		}
		personas.Flush(p.Editor)
		pass(10 * time.Millisecond)
		done = append(done, what)
		now := p.changedOutside()
		p.mu.Lock()
		leaks, reported := p.leaks, strings.Contains(strings.Join(p.told[warned:], "\n"), "led elsewhere")
		p.mu.Unlock()
		if p.races && p.editor != "embedded" && len(now) > 0 && reported {
			written++
			p.restoreOutside(now)
			now = nil
		}
		if p.races && p.editor != "embedded" && strings.Contains(told, secretToken) {
			told = p.withoutRead(told)
			p.read++
		}
		if strings.Contains(told, secretToken) || len(now) > 0 || len(leaks) > 0 {
			return written, fmt.Errorf("%s\ntold %s\nchanged %v\nleaks %q\nafter %s", what, told, now, leaks, strings.Join(done[max(0, len(done)-12):], "\n      "))
		}
	}
	return written, nil
}

// withoutRead returns what an agent was told without the lines from outside of documents whose names lead inside again: the
// editor has read a link by itself that was there between two looks of the server. All else that is from outside stays.
func (p *prey) withoutRead(told string) string {
	for _, b := range p.Buffers() {
		for line := range strings.Lines(b.Text()) {
			if line = strings.TrimSpace(line); strings.Contains(line, secretToken) && p.isInside(b.Path()) {
				told = strings.ReplaceAll(told, line, "")
			}
		}
	}
	return told
}

// changedOutside returns what is outside now and was not there at first.
func (p *prey) changedOutside() map[string]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.outside()
	for path := range p.before {
		if _, there := now[path]; !there && strings.HasPrefix(path, p.path("out")) {
			now[path] = "gone"
		}
	}
	maps.DeleteFunc(now, func(path, text string) bool { return p.before[path] == text })
	return now
}

// restoreOutside puts back what has changed there.
func (p *prey) restoreOutside(changed map[string]string) {
	for path := range changed {
		if text, was := p.before[path]; was {
			writeFile(p.t, path, text)
		} else {
			_ = os.Remove(path)
		}
	}
}

// TestRandomLinks: another program swaps files, folders and workspace folders for links that lead out, at random. No agent
// sees what is there, and nothing is written there, nor where protected and guarded names lead.
func TestRandomLinks(t *testing.T) {
	hunts(t, 0, func(*prey) {})
}

// TestRandomLinksAtAnyTime: the program also works between the editor's last look and what it does. What the editor then
// writes outside is reported each time, and what it reads there by itself, between two looks of the server, is counted. The
// embedded editor does neither. When the program works depends on the order in which goroutines run, and so the sessions go
// on until an editor has written outside.
func TestRandomLinksAtAnyTime(t *testing.T) {
	for more := range uint64(10) {
		written := hunts(t, more*fewestLinkSteps, func(p *prey) { p.races = true })
		if t.Failed() || written[""]+written["vscode-plugin"]+written["neovim-plugin"] > 0 {
			return
		}
	}
	t.Error("no editor has written outside, so the test is blind")
}

// hunts runs sessions in each editor, the first with the seed that many above that of the test, and returns how often it
// has written outside.
func hunts(t *testing.T, above uint64, set func(*prey)) (written map[string]int) {
	t.Helper()
	editors := []string{"embedded", "", "vscode-plugin", "neovim-plugin"}
	steps := max(fewestLinkSteps, chance.Number(t, "PATCHLS_LINK_STEPS", fewestLinkSteps))
	seed, _ := chance.First(t)
	seed += above
	written = map[string]int{}
	for _, editor := range editors {
		t.Run(editor, func(t *testing.T) {
			accepted, saved, read := 0, 0, 0
			for run := range max(1, steps/uint64(len(editors))/preyRun) {
				bubble(t, func(t *testing.T) {
					p := newPrey(t, editor, seed+run)
					p.mu.Lock()
					set(p)
					p.mu.Unlock()
					n, err := p.hunt(preyRun)
					p.mu.Lock()
					p.quiet = true
					p.mu.Unlock()
					_ = p.Close()
					<-p.done
					written[editor] += n
					accepted, saved, read = accepted+p.accepted, saved+p.saved, read+p.read
					if err != nil {
						t.Fatalf("PATCHLS_FIRST_SEED=%d: %v", seed+run, err)
					}
				})
				if t.Failed() {
					return
				}
			}
			t.Logf("%d commands were accepted, %d have saved, the editor has written outside in %d, and %d have told what it has read there",
				accepted, saved, written[editor], read)
			if accepted == 0 || saved == 0 {
				t.Error("nothing was accepted, so the test is blind")
			}
		})
	}
	return written
}

const (
	// preyRun is how many steps a session has.
	preyRun = 50
	// fewestLinkSteps is how many steps all sessions have at least. In so many, the editors write outside up to nine times if the program
	// works at any time, and seldom not once.
	fewestLinkSteps = 2000
)

func pick[T any](dice *rand.Rand, of []T) T { return of[dice.IntN(len(of))] }

// TestASaveThatGoesElsewhereIsReported: a link takes a file's place after the editor has looked where the name leads, and
// before it writes. The server says so each time, even if the file is back when it looks.
func TestASaveThatGoesElsewhereIsReported(t *testing.T) {
	for _, back := range []bool{false, true} {
		for _, at := range []string{"ws/same.txt", "ws/d/e/same.txt", "ws/d", "ws/d/e"} {
			bubble(t, func(t *testing.T) {
				p := newPrey(t, "", 1)
				p.mu.Lock()
				p.quiet, p.late, p.back = true, at, back
				p.mu.Unlock()
				name := "same.txt"
				if strings.HasPrefix(at, "ws/d") {
					name = "d/e/same.txt"
				}
				if _, err := p.Open(p.path("ws/" + name)); err != nil {
					t.Fatal(err)
				}
				pass(time.Second)
				raw, err := p.Execute(context.Background(), "patchls.insert", args{"path": p.path("ws/" + name), "after_line": 0, "content": "new", "save": true})
				went, _ := os.ReadFile(p.path("out/" + name))
				if !strings.HasPrefix(string(went), "new\n") {
					t.Errorf("%s: nothing was written outside, so the test is blind", at)
				}
				p.mu.Lock()
				told := strings.Join(p.told, "\n")
				p.mu.Unlock()
				warned := strings.Contains(told, "led elsewhere")
				if !warned || strings.Contains(string(raw), `"saved":true`) {
					t.Errorf("%s, back %t: the answer is %s, %v, and the log says %q", at, back, raw, err, told)
				}
				_ = p.Close()
				<-p.done
			})
		}
	}
}
