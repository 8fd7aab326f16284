package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
)

// seenNames are the documents. Their lines differ, but for some that stand between them as braces do. In the last one, each
// second line is such a brace.
var seenNames = []string{"short.txt", "long.txt", "crlf.txt", "noend.txt", "braces.txt"}

func seenTexts() map[string]string {
	of := func(from, n int, end string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s words of line %d%s", newToken("i", from+i), i+1, end)
			if i%5 == 3 {
				b.WriteString([]string{"}", "", "\tx"}[i%3] + end)
			}
		}
		return b.String()
	}
	return map[string]string{
		"short.txt": of(100, 9, "\n"), "long.txt": of(200, 80, "\n"),
		"crlf.txt": of(300, 14, "\r\n"), "noend.txt": strings.TrimSuffix(of(400, 14, "\n"), "\n"),
		"braces.txt": strings.ReplaceAll(of(500, 12, "\n"), "\n", "\n}\n"),
	}
}

// seenWorld is an editor, its server, the user, and agents. One thing happens at a time, except that the user may
// type when an edit arrives.
type seenWorld struct {
	t        *testing.T
	kind     simEditor
	seed     uint64
	root     string
	disk     *simDisk
	editor   *headless.Editor
	endpoint *lsp.Endpoint
	served   chan error
	agents   map[string]*seenAgent
	conns    map[string]*rawClient // of agents
	tokens   int
	files    map[string]set      // by document, all lines that its file has held
	moved    set                 // lines to which the newest whole text gives another place
	shifted  set                 // lines that were moved
	asked    map[string][]string // by document, the lines when the newest command was sent

	mu        sync.Mutex          // guards what follows: an editor may make an edit when its command has ended
	meanwhile func()              // what the user does when the next edit arrives
	met       map[string][]string // by document, the lines that the newest edit met

	counts  seenCounts
	failed  *simFailure
	remarks []string
}

// simulateSeen does a run in a bubble of its own.
func simulateSeen(t *testing.T, run simRun) (o simOutcome, counts seenCounts) {
	t.Helper()
	kind, ok := simEditorNamed(run.editor)
	if !ok {
		kind = simEditor{name: run.editor, options: func(uint64) headless.Options { return headless.Options{} }}
	}
	root := t.TempDir()
	for name, content := range seenTexts() {
		writeFile(t, filepath.Join(root, name), content)
	}
	defer func() { _ = os.RemoveAll(root) }()
	emptyPools()
	defer emptyPools()
	synctest.Test(t, func(t *testing.T) {
		w := &seenWorld{t: t, kind: kind, seed: run.seed, root: root, agents: map[string]*seenAgent{}, conns: map[string]*rawClient{}, files: map[string]set{}, shifted: set{}}
		w.disk = &simDisk{absorb: []string{"merge", "off"}[run.seed%2]}
		w.start(nil)
		for _, name := range seenNames {
			_, _ = w.editor.Open(w.path(name))
		}
		o.step = w.run(run.steps)
		w.stop()
		o.failed, o.remarks, counts = w.failed, w.remarks, w.counts
	})
	return o, counts
}

// setMeanwhile sets what the user does when the next edit arrives, and returns what it was.
func (w *seenWorld) setMeanwhile(does func()) (was func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	was, w.meanwhile = w.meanwhile, does
	return was
}

// meets records the lines of a document that an edit meets.
func (w *seenWorld) meets(name string) {
	lines := simLines(w.text(name))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.met[name] = lines
}

// metIn returns the lines of a document that the newest edit met.
func (w *seenWorld) metIn(name string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.met[name]
}

// start starts a server and an editor that has unsaved texts.
func (w *seenWorld) start(unsaved map[string]string) {
	ours, theirs := net.Pipe()
	endpoints, served := make(chan *lsp.Endpoint, 1), make(chan error, 1)
	go func() {
		served <- lsp.Serve(context.Background(), ours, lsp.Options{
			Version: "test", Notify: w.disk.notify, Log: slog.New(slog.DiscardHandler),
			Agents: func(ctx context.Context, endpoint *lsp.Endpoint) {
				endpoints <- endpoint
				<-ctx.Done()
			},
		})
	}()
	opts := w.kind.options(w.seed)
	opts.Roots, opts.Settings = []string{w.root}, map[string]any{"absorb": w.disk.absorb}
	opts.Habits = personas.Decides(func(_ context.Context, _ *headless.Editor, p *headless.ApplyEditParams, next simNext) (headless.ApplyEditResult, error) {
		if does := w.setMeanwhile(nil); does != nil {
			does()
		}
		for _, name := range seenNames {
			w.meets(name)
		}
		return next(p), nil
	})
	w.mu.Lock()
	w.met = map[string][]string{}
	w.mu.Unlock()
	var err error
	if w.editor, err = headless.Start(context.Background(), theirs, opts); err != nil {
		w.t.Fatal(err)
	}
	w.endpoint, w.served = <-endpoints, served
	for _, name := range seenNames {
		if text, ok := unsaved[name]; ok {
			if _, err := w.editor.OpenText("file://"+w.path(name), "plaintext", text); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	synctest.Wait()
}

func (w *seenWorld) stop() {
	for _, a := range w.agents {
		w.leaves(a)
	}
	_ = w.editor.Close()
	<-w.served
}

// restart ends the server and the editor. The editor has its unsaved texts again, as after a crash.
func (w *seenWorld) restart() {
	open := map[string]string{}
	for _, b := range w.editor.Buffers() {
		open[filepath.Base(b.Path())] = b.Text()
	}
	w.stop()
	w.start(open)
	for _, a := range w.agents {
		a.unknown()
	}
}

// reconnect has an agent connect once more. The server knows who it is if it has said so.
func (w *seenWorld) reconnect(a *seenAgent) {
	if a.name == "a1" {
		return
	}
	if w.leaves(a); a.tells() {
		return
	}
	for _, b := range w.agents {
		if b.connected() == a.connected() {
			b.unknown()
		}
	}
}

// unknown has the server know nothing of an agent. The agent forgets no text, unless nothing could say which of two on one
// connection knows it.
func (a *seenAgent) unknown() {
	if a.connected() == "untold" {
		clear(a.knows)
	}
	for _, k := range a.knows {
		k.unnumbered()
		k.unmet = true
	}
	a.edits = nil
}

// tells reports whether the agent says with each command who it is, as the others do not.
func (a *seenAgent) tells() bool { return a.name == "a3" || a.name == "a4" }

// connected returns the name of an agent's connection. Two pairs of agents have one in common.
func (a *seenAgent) connected() string {
	switch {
	case a.tells():
		return "told"
	case a.name == "a5", a.name == "a6":
		return "untold"
	}
	return a.name
}

// connection returns the connection of an agent, nil for the one that is the editor's own client.
func (w *seenWorld) connection(a *seenAgent) *rawClient {
	name := a.connected()
	if name == "a1" {
		return nil
	}
	if w.conns[name] == nil {
		ours, theirs := net.Pipe()
		c := &rawClient{t: w.t, conn: theirs, messages: make(chan message, 1000), done: make(chan error, 1)}
		endpoint := w.endpoint
		go func() { c.done <- endpoint.Serve(context.Background(), ours, endpointToken) }()
		go c.read()
		c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"initializationOptions":{"token":%q,"shared":%t}}}`, endpointToken, name == "untold")
		c.answer(`"init"`)
		w.conns[name] = c
	}
	return w.conns[name]
}

// leaves closes the connection of an agent.
func (w *seenWorld) leaves(a *seenAgent) {
	if c := w.conns[a.connected()]; c != nil {
		_ = c.conn.Close()
		for range c.messages {
		}
		<-c.done
		delete(w.conns, a.connected())
	}
}

// agent returns an agent by its name. The first one is the editor's own client.
func (w *seenWorld) agent(name string) *seenAgent {
	if w.agents[name] == nil {
		w.agents[name] = &seenAgent{name: name, knows: map[string]*seenText{}}
	}
	return w.agents[name]
}

// run does the steps until something is wrong, and returns the number of the last one.
func (w *seenWorld) run(steps []simStep) int {
	for i, s := range steps {
		w.remarks = append(w.remarks, "")
		for _, name := range seenNames {
			maps.Copy(w.held(name), marksOf(simLines(w.file(name))))
		}
		r := s.rand()
		name := seenNames[s.doc%len(seenNames)]
		switch {
		case s.who == "user":
			w.user(r, s.op, name)
		case s.who == "disk":
			w.program(r, name)
		case s.op == "restart":
			w.restart()
		case s.op == "sleep":
			time.Sleep(time.Duration(s.n) * time.Millisecond) //nolint:forbidigo // virtual
		default:
			w.does(w.agent(s.who), r, s.op, name)
		}
		personas.Flush(w.editor)
		synctest.Wait()
		w.tidy()
		if w.failed != nil {
			return i
		}
	}
	return len(steps) - 1
}

// tidy has the user delete lines that an undo has brought a second time, since each line is to be one of its kind.
func (w *seenWorld) tidy() {
	for _, b := range w.editor.Buffers() {
		for m := twice(simLines(b.Text())); m != ""; m = twice(simLines(b.Text())) {
			at := strings.LastIndex(b.Text(), m)
			_ = b.Replace(at, at+len(m), "")
			personas.Flush(w.editor)
			synctest.Wait()
		}
	}
}

func (w *seenWorld) fail(rule, format string, a ...any) {
	if w.failed == nil {
		w.failed = &simFailure{rule, fmt.Sprintf(format, a...)}
	}
}

func (w *seenWorld) remark(format string, a ...any) {
	n := len(w.remarks) - 1
	if w.remarks[n] != "" {
		w.remarks[n] += "\n"
	}
	w.remarks[n] += fmt.Sprintf(format, a...)
}

func (w *seenWorld) path(name string) string { return filepath.Join(w.root, name) }

// text returns the text of a document: that of its buffer, or that of its file.
func (w *seenWorld) text(name string) string {
	for _, b := range w.editor.Buffers() { // Buffer follows links, which takes long
		if strings.HasSuffix(b.URI(), "/"+name) {
			return b.Text()
		}
	}
	return w.file(name)
}

func (w *seenWorld) file(name string) string {
	raw, _ := os.ReadFile(w.path(name))
	return string(raw)
}

// held returns the lines that a file has held.
func (w *seenWorld) held(name string) set {
	if w.files[name] == nil {
		w.files[name] = set{}
	}
	return w.files[name]
}

// line returns a line that is new; by says who writes it.
func (w *seenWorld) line(by string) string {
	w.tokens++
	return newToken(by, w.tokens) + " words of a line"
}

// user has the user do something in a document.
func (w *seenWorld) user(r *rand.Rand, op, name string) {
	b, open := w.editor.Buffer(w.path(name))
	if op == "open" && !open {
		_, _ = w.editor.Open(w.path(name))
	}
	if !open {
		return
	}
	now := b.Text()
	rows := simLines(now)
	at := r.IntN(len(rows) + 1)
	row := func(i int) (start, end int) { // with its line end
		for range i {
			if n := strings.IndexByte(now[start:], '\n'); n >= 0 {
				start += n + 1
			} else {
				start = len(now)
			}
		}
		if n := strings.IndexByte(now[start:], '\n'); n >= 0 {
			return start, start + n + 1
		}
		return start, len(now)
	}
	start, end := row(at)
	content := len(strings.TrimRight(now[start:end], "\r\n"))
	_, far := row(min(len(rows), at+r.IntN(3)))
	switch op {
	case "add":
		w.insert(b, start, w.line("p")+"\n")
	case "noise":
		w.insert(b, start, []string{"}\n", "\n", "\tx\n"}[r.IntN(3)])
	case "change":
		if start == end { // behind a last line without a line end there is none to change
			w.insert(b, start, w.line("p")+"\n")
			break
		}
		_ = b.Replace(start, start+content, w.line("p"))
	case "indent":
		_ = b.Insert(start, "  ")
	case "delete":
		_ = b.Replace(start, far, "")
	case "move":
		if taken := now[start:end]; strings.HasSuffix(taken, "\n") {
			w.shifted[mark(taken)] = true
			_ = b.Replace(start, end, "")
			now = b.Text()
			to, _ := row(r.IntN(len(rows)))
			w.insert(b, to, taken)
		}
	case "undo":
		b.Undo()
	case "redo":
		b.Redo()
	case "save":
		if b.Save() == nil {
			w.disk.written(w.path(name))
		}
	case "close":
		b.Close()
	}
}

// insert puts lines in. At the end of a text without a line end, they come on lines of their own.
func (w *seenWorld) insert(b *headless.Buffer, at int, lines string) {
	now := b.Text()
	if at == len(now) && now != "" && !strings.HasSuffix(now, "\n") {
		lines = "\n" + strings.TrimSuffix(lines, "\n")
	}
	_ = b.Insert(at, lines)
}

// program has a program change a line of a file.
func (w *seenWorld) program(r *rand.Rand, name string) {
	rows := strings.SplitAfter(w.file(name), "\n")
	at := r.IntN(len(rows))
	rows[at] = w.line("d") + rows[at][len(strings.TrimRight(rows[at], "\r\n")):]
	w.writes(r, name, strings.Join(rows, ""))
}

// writes has a program write a file. Most editors read it anew if they have nothing unsaved.
func (w *seenWorld) writes(r *rand.Rand, name, content string) {
	b, open := w.editor.Buffer(w.path(name))
	clean := open && !b.Dirty()
	writeFile(w.t, w.path(name), content)
	if clean && r.IntN(3) > 0 {
		_ = personas.Reload(w.editor, b)
	}
	w.disk.written(w.path(name))
}

// seenAnswer is what an agent is answered.
type seenAnswer struct {
	transaction.Result
	Text    string // of a view
	Rev     string
	Total   int `json:"total_lines"`
	refused *failure
	tool    bool // it is that of a tool that imitates another
}

// shows returns what the agent reads of the text. The tools that imitate others have it in their message.
func (a *seenAnswer) shows() string {
	switch {
	case a.refused != nil:
		return a.refused.Snippet
	case len(a.Files) > 0 && !a.tool:
		return a.Files[0].Snippet
	}
	return a.Message + "\n" + a.Text
}

// ask has an agent send a command.
func (w *seenWorld) ask(a *seenAgent, command string, with args) *seenAnswer {
	w.remark("%s %s", command, short(briefArgs(with)))
	w.asked = map[string][]string{}
	for _, name := range seenNames {
		w.meets(name)
		w.asked[name] = w.metIn(name)
	}
	var raw json.RawMessage
	answer := seenAnswer{tool: strings.HasSuffix(command, "_editor") || strings.HasSuffix(command, "_file")}
	refused := func(message string, data json.RawMessage) {
		answer.refused = &failure{Message: message}
		_ = json.Unmarshal(data, &answer.refused.ErrorData)
		w.remark("-> %s: %s\nshows %s", answer.refused.Kind, message, briefRuns(answer.refused.Snippet))
	}
	conn := w.connection(a)
	if conn == nil {
		var err error
		var wire *jsonrpc2.Error
		if raw, err = w.editor.Execute(context.Background(), "patchls."+command, with); errors.As(err, &wire) {
			refused(wire.Message, json.RawMessage(wire.Data))
		} else if err != nil {
			w.fail("broken", "%s: %v", command, err)
		}
	} else {
		actor := ""
		if a.tells() {
			actor = a.name
		}
		conn.send(`{"jsonrpc":"2.0","id":"call","method":"workspace/executeCommand","params":{"actor":%q,"command":"patchls.%s","arguments":[%s]}}`, actor, command, mustJSON(with))
		m := conn.answer(`"call"`)
		if raw = m.Result; m.Error != nil {
			refused(m.Error.Message, m.Error.Data)
		}
	}
	w.setMeanwhile(nil)
	if answer.refused != nil {
		return &answer
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		w.fail("broken", "%s: %v in %s", command, err, raw)
	}
	message, _, _ := strings.Cut(answer.Message, "\n")
	w.remark("-> %s %q shows %s", message, answer.Notes, briefRuns(answer.shows()))
	return &answer
}

func briefRuns(said string) (all string) {
	for _, run := range numberedRuns(said) {
		all += fmt.Sprintf("%d: %s; ", run.from, brief(run.rows))
	}
	return all
}

func briefArgs(with args) args {
	with = maps.Clone(with)
	if content, ok := with["content"].(string); ok {
		with["content"] = brief(simLines(content))
	}
	return with
}

// brief returns lines as the numbers of their tokens, and a run of such lines as its first and its last number.
func brief(rows []string) string {
	var all []string
	from, to := -1, -1 // the run
	flush := func() {
		if from >= 0 && to > from {
			all[len(all)-1] = fmt.Sprintf("i%d-%d", from, to)
		}
		from = -1
	}
	for _, row := range rows {
		token := simToken.FindStringSubmatch(row)
		n := -1
		if len(token) > 1 && token[1][0] == 'i' {
			n, _ = strconv.Atoi(token[1][1:])
		}
		if n >= 0 && from >= 0 && n == to+1 {
			to = n
			continue
		}
		flush()
		if token == nil {
			all = append(all, fmt.Sprintf("%q", row))
			continue
		}
		all = append(all, token[1])
		from, to = n, n
	}
	flush()
	return strings.Join(all, " ")
}

func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// edits has an agent send an edit of a document, and judges its answer by the lines before and after. now is nil
// if nothing was made.
func (w *seenWorld) edits(a *seenAgent, name, command string, with args) (answer *seenAnswer, before, now []string) {
	w.counts.commands++
	answer = w.ask(a, command, with)
	before, now = w.metIn(name), append([]string{}, simLines(w.text(name))...) // not nil, which says that nothing was made
	w.remark("%s: %s\nbecomes %s", name, brief(before), brief(now))
	switch {
	case answer.refused != nil:
		if answer.refused.Kind == edits.Stale {
			w.counts.stale++
		} else {
			w.counts.others++
		}
		if !slices.Equal(before, now) {
			w.fail("refused", "%s was refused, and changed %s to %s", command, brief(before), brief(now))
		}
		return answer, before, nil
	case !answer.Applied || !answer.Verified:
		w.counts.others++
		return answer, before, nil
	}
	w.counts.made++
	for _, b := range w.agents {
		if k := b.knows[name]; k != nil && b != a && a.connected() == "untold" && b.connected() == "untold" {
			for i := range k.lines { // patchls cannot know that it does not know what became of the numbers
				k.lines[i].n = 0
			}
		}
	}
	if answer.Rebased {
		w.counts.merged++
	}
	brought := marksOf(now)
	maps.DeleteFunc(brought, func(m string, _ bool) bool { return marksOf(before)[m] })
	if command != "undo" {
		a.edits = append(a.edits, seenEdit{answer.EditID, name, brought})
	}
	return answer, before, now
}
