package lsp

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

// What is read quickly says what encoding/json says that it says; anything else is
// left to that.
func FuzzQuick(f *testing.F) {
	for _, s := range quickFrames {
		f.Add([]byte(s))
	}
	for _, s := range slowFrames {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		var q quick
		before := string(frame)
		q.read(frame)
		if string(frame) != before {
			t.Fatal("the frame was written to")
		}
		for _, s := range quickFrames { // one that has the shape of the one before is read as any
			var after quick
			after.read([]byte(s))
			after.read(frame)
			if after.bad != q.bad || !q.bad && after.message() != q.message() {
				t.Fatalf("%s\nis read as %s, %v, and after\n%s\nas %s, %v", frame, q.message(), !q.bad, s, after.message(), !after.bad)
			}
		}
		if q.bad {
			return
		}
		if _, ok := appendUnquoted(nil, q.doc.quoted); q.saves() && !ok {
			return // it differs from whatever the mirror has
		}
		got := q.message()
		want, err := slowMessage(frame)
		if err != nil {
			t.Fatalf("%s was read quickly, and is %v", frame, err)
		}
		if got != want {
			t.Fatalf("%s\nread quickly is %s\nand else        %s", frame, got, want)
		}
	})
}

// message words what was read.
func (q *quick) message() string {
	if q.opens() {
		return fmt.Sprintf("open %q %d %q", q.doc.uri, q.doc.version, q.doc.text)
	}
	if q.saves() {
		saved, ok := appendUnquoted(nil, q.doc.quoted)
		same := quotes(q.doc.quoted, text.New(string(saved)))
		return fmt.Sprintf("save %q %q %v", q.doc.uri, saved, ok && same)
	}
	return fmt.Sprintf("change %q %d %#v", q.doc.uri, q.doc.version, append([]workspace.Change{}, q.changes...))
}

// slowMessage is message by the long way.
func slowMessage(frame []byte) (string, error) {
	if _, err := jsonrpc2.DecodeMessage(frame); err != nil {
		return "", err
	}
	var m struct {
		ID, Params json.RawMessage
		Method     string
	}
	if err := json.Unmarshal(frame, &m); err != nil {
		return "", err
	}
	if m.ID != nil {
		return "", fmt.Errorf("it has the id %s", m.ID)
	}
	if m.Method == "textDocument/didSave" {
		var p struct {
			TextDocument textDocument
			Text         *string
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			return "", err
		}
		return fmt.Sprintf("save %q %q true", p.TextDocument.URI, *p.Text), nil
	}
	if m.Method == "textDocument/didOpen" {
		var p didOpenParams
		if err := json.Unmarshal(m.Params, &p); err != nil {
			return "", err
		}
		return fmt.Sprintf("open %q %d %q", p.TextDocument.URI, *p.TextDocument.Version, *p.TextDocument.Text), nil
	}
	var p didChangeParams
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return "", err
	}
	changes := []workspace.Change{}
	for _, raw := range p.ContentChanges {
		var c contentChange
		if err := json.Unmarshal(raw, &c); err != nil {
			return "", err
		}
		one, err := c.change()
		if err != nil {
			return "", err
		}
		changes = append(changes, one)
	}
	return fmt.Sprintf("change %q %d %#v", p.TextDocument.URI, *p.TextDocument.Version, changes), nil
}

const (
	changeFrame = `{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a","version":2},"contentChanges":[%s]}}`
	typedX      = `{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":2}},"rangeLength":0,"text":"x"}`
)

// quickFrames are read quickly, each as editors write them.
var quickFrames = []string{
	fmt.Sprintf(changeFrame, typedX),
	fmt.Sprintf(changeFrame, typedX+","+typedX),
	fmt.Sprintf(changeFrame, ""),
	strings.ReplaceAll(fmt.Sprintf(changeFrame, typedX), `"x"`, `"a\nb\t\"\\\/\b\f\r\u00e9\ud83d\ude00 é😀"`),
	" {\r\n\t\"jsonrpc\" : \"2.0\" , \"method\":\"textDocument/didChange\",\"params\":{\"contentChanges\":[ " + typedX + " ],\"textDocument\":{\"version\":999999999,\"uri\":\"file:///%C3%A9\"}}} ",
	`{"params":{"textDocument":{"uri":"file:///a","version":2},"contentChanges":[` + typedX + `]},"method":"textDocument/didChange","jsonrpc":"2.0"}`,
	`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a","languageId":"go","version":0,"text":"a\nb\u00e9é\ud83d\ude00 and on"}}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":"file:///a"},"text":"a\nb\u00e9é\ud83d\ude00 and on"}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"text":"","textDocument":{"version":3,"uri":"file:///a"}}}`,
}

// slowFrames are not: they are wrong, or say what only the long way knows.
var slowFrames = []string{
	`{"jsonrpc":"2.0","id":1,"method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a","version":2},"contentChanges":[]}}`,
	fmt.Sprintf(changeFrame, `{"text":"whole"}`),
	fmt.Sprintf(changeFrame, `{"range":null,"text":"whole"}`),
	fmt.Sprintf(changeFrame, strings.Replace(typedX, `"line":1`, `"line":1.0`, 1)),
	fmt.Sprintf(changeFrame, strings.Replace(typedX, `"line":1`, `"line":-1`, 1)),
	fmt.Sprintf(changeFrame, strings.Replace(typedX, `"line":1`, `"line":01`, 1)),
	fmt.Sprintf(changeFrame, strings.Replace(typedX, `"line":1`, `"line":1,"line":1`, 1)),
	fmt.Sprintf(changeFrame, strings.Replace(typedX, `"line":1`, `"Line":1`, 1)),
	fmt.Sprintf(changeFrame, strings.Replace(typedX, `"line":1`, `"line":9`, 1)), // ends before it starts
	fmt.Sprintf(changeFrame, strings.Replace(typedX, `"line":1`, `"line":12345678901`, 1)),
	fmt.Sprintf(changeFrame, strings.Replace(typedX, `"x"`, `"\ud83d"`, 1)),
	fmt.Sprintf(changeFrame, strings.Replace(typedX, `"x"`, `"\udc00\ud83d"`, 1)),
	fmt.Sprintf(changeFrame, strings.Replace(typedX, `"x"`, `"\ud83d\ud83d"`, 1)),
	fmt.Sprintf(changeFrame, strings.Replace(typedX, `"x"`, `"\q"`, 1)),
	fmt.Sprintf(changeFrame, strings.Replace(typedX, `"x"`, `"\u12g4"`, 1)),
	fmt.Sprintf(changeFrame, strings.Replace(typedX, `"x"`, "\"a\nb\"", 1)),
	fmt.Sprintf(changeFrame, strings.Replace(typedX, `"x"`, "\"0123456789\xff\"", 1)),
	fmt.Sprintf(changeFrame, typedX+","),
	fmt.Sprintf(changeFrame, typedX) + "x",
	fmt.Sprintf(changeFrame, typedX)[:60],
	strings.Replace(fmt.Sprintf(changeFrame, typedX), `"version":2`, `"version":null`, 1),
	strings.Replace(fmt.Sprintf(changeFrame, typedX), `"uri":`, `"URI":`, 1),
	strings.Replace(fmt.Sprintf(changeFrame, typedX), `file:///a`, `file:\/\/\/a`, 1),
	strings.Replace(fmt.Sprintf(changeFrame, typedX), `"2.0"`, `"1.0"`, 1),
	strings.Replace(fmt.Sprintf(changeFrame, typedX), `"jsonrpc":"2.0",`, ``, 1),
	strings.Replace(fmt.Sprintf(changeFrame, typedX), `didChange`, `didSave`, 1),
	`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a","languageId":"go","version":0}}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a","version":0,"text":"\ud83d"}}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":"file:///a"}}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":"file:///a"},"text":null}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":"file:///a","text":""},"text":""}}`,
	`{"params":5,"method":"textDocument/didChange","jsonrpc":"2.0"}`,
	`{"params":{"x":[},"method":"textDocument/didChange","jsonrpc":"2.0"}`,
	`[]`, `{}`, ``, `{"`, `{"jsonrpc"`,
}

func TestQuickFrames(t *testing.T) {
	read := func(s string) bool {
		var q quick
		q.read([]byte(s))
		return !q.bad
	}
	for _, s := range quickFrames {
		if !read(s) {
			t.Errorf("not read quickly: %s", s)
		}
	}
	for _, s := range slowFrames {
		if read(s) {
			t.Errorf("read quickly: %s", s)
		}
	}
}

// A frame that has the shape of the one before is read by that, and one that has not,
// however little, is not.
func TestQuickShape(t *testing.T) {
	before := fmt.Sprintf(changeFrame, typedX)
	var q, plain quick
	q.read([]byte(before))
	like := strings.NewReplacer(`"version":2`, `"version":31`, `"line":1`, `"line":17`, `"character":2`, `"character":123456`, `"x"`, `"\n\"😀"`).Replace(before)
	if plain.read([]byte(like)); !q.fits([]byte(like)) || q.message() != plain.message() {
		t.Errorf("%s\nis read as %s", like, q.message())
	}
	others := []string{
		before + " ", before[:len(before)-1],
		strings.Replace(before, `"line":1`, `"line":01`, 1), strings.Replace(before, `"line":1`, `"line":9`, 1), strings.Replace(before, `"line":1`, `"line":`, 1),
		strings.Replace(before, `"x"`, "\"\xff12345678\"", 1), strings.Replace(before, `"x"`, `"\q"`, 1), strings.Replace(before, `"x"`, `"x`, 1),
	}
	for i := range before {
		if before[i] != 'x' {
			others = append(others, before[:i]+"~"+before[i+1:])
		}
	}
	for _, other := range others {
		if q.fits([]byte(other)) {
			t.Errorf("%s was read by the shape of another frame", other)
		}
	}
}

// Strings are looked through eight bytes at a time, and nothing shows of that.
func TestScanStrings(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", "bc", "0123456789abcdef", "é", "漢", "😀", "\\n", "\\\"", "\\\\", "\\u0041", "\\ud83d\\ude00", "\x7f", " "}
	for range 20_000 {
		var raw strings.Builder
		for range r.IntN(8) {
			raw.WriteString(pieces[r.IntN(len(pieces))])
		}
		var want string
		if err := json.Unmarshal([]byte(`"`+raw.String()+`"`), &want); err != nil {
			t.Fatal(err)
		}
		s := scanner{b: []byte(`"` + raw.String() + `" `)}
		got, escapes := s.string()
		out, ok := appendUnquoted(nil, got)
		if s.bad || !ok || string(out) != want || len(out) > len(got)-escapes || s.i != len(s.b)-1 {
			t.Fatalf("%q is read as %q, %v, with %d escapes", raw.String(), out, !s.bad && ok, escapes)
		}
		s = scanner{b: []byte(`"` + raw.String() + `"}}}}}}}}}`)}
		if out := s.unquoted(); s.bad || string(out) != want || s.b[s.i] != '}' || cap(out) > len(out)+len(out)/16+64 {
			t.Fatalf("%q is read as %q of %d bytes, %v", raw.String(), out, cap(out), !s.bad)
		}
	}
}

// A keystroke takes no memory on its way from its frame to the document.
func TestKeystrokeTakesNoMemory(t *testing.T) {
	s := quickServer()
	s.lifecycle.enter(running)
	open := `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a","languageId":"go","version":0,"text":"` + strings.Repeat(`some text\n`, 1000) + `"}}}`
	if !s.take([]byte(open)) {
		t.Fatal("the didOpen was not taken")
	}
	var frames [][]byte
	for n := range 3000 {
		frames = append(frames, fmt.Appendf(nil, strings.ReplaceAll(changeFrame, `"version":2`, `"version":%d`), n+1,
			strings.ReplaceAll(typedX, `"character":2`, fmt.Sprintf(`"character":%d`, n%40))))
	}
	next := 0
	take := func() {
		if !s.take(frames[next]) {
			t.Errorf("not taken: %s", frames[next])
		}
		next++
	}
	for range 1000 {
		take() // until it is known that nobody asks, and buffers have their size
	}
	if n := testing.AllocsPerRun(1000, take); n > 0 {
		t.Errorf("%v allocations", n)
	}
	doc := s.docs.All()[0]
	if want := 1000*len("some text\n") + next; doc.Text.Len() != want || doc.Version != int32(next) {
		t.Errorf("the text has %d bytes, want %d", doc.Text.Len(), want)
	}
	for _, f := range frames {
		clear(f)
	}
	if slices.Contains([]byte(doc.Text.String()), 0) {
		t.Error("the document keeps a frame")
	}
}

// A saved text is compared with the mirror's as it stands in its frame, wherever the
// leaves of that end.
func TestSavedText(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"a", "0123456789abcdef", "é", "😀", "\n", "\"", "\\", "\x7f"}
	for range 5000 {
		want := text.Text{}
		for range r.IntN(8) {
			want = want.Replace(want.Len(), want.Len(), pieces[r.IntN(len(pieces))])
		}
		quoted, err := json.Marshal(want.String())
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(2) == 0 {
			quoted = []byte(strings.ReplaceAll(string(quoted), "😀", `\ud83d\ude00`))
		}
		raw := quoted[1 : len(quoted)-1]
		if !quotes(raw, want) {
			t.Fatalf("%s is not %q", raw, want)
		}
		for _, other := range []text.Text{want.Replace(0, 0, "b"), want.Replace(want.Len(), want.Len(), "b"), want.Replace(want.Len()/2, want.Len()/2, "b")} {
			if quotes(raw, other) {
				t.Fatalf("%s is %q", raw, other)
			}
		}
	}
}

// quickServer is as much of a server as takes messages.
func quickServer() *server {
	s := &server{docs: workspace.NewDocuments(), encoding: text.UTF16}
	s.settings.Store(defaultSettings())
	s.client.Store(&client{})
	return s
}

// A didSave says what the document has on disk, or that the mirror is out of step.
func TestDidSaveWithText(t *testing.T) {
	const save = `{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":"file:///a"},"text":"%s"}}`
	s := quickServer()
	s.lifecycle.enter(running)
	open := `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a","languageId":"go","version":0,"text":"a\nb\n"}}}`
	if !s.take([]byte(open)) || !s.take(fmt.Appendf(nil, changeFrame, strings.ReplaceAll(typedX, `"line":1,"character":2`, `"line":1,"character":0`))) {
		t.Fatal("not taken")
	}
	if s.take(fmt.Appendf(nil, save, `a\nb\n`)) {
		t.Error("another text than the mirror's was taken")
	}
	if doc := s.docs.All()[0]; doc.Disk.String() != "a\nb\n" {
		t.Errorf("on disk is %q", doc.Disk)
	}
	if !s.take(fmt.Appendf(nil, save, `a\nxb\n`)) {
		t.Error("the mirror's text was not taken")
	}
	if doc := s.docs.All()[0]; doc.Disk.String() != "a\nxb\n" || doc.Text.String() != "a\nxb\n" {
		t.Errorf("on disk is %q, and open %q", doc.Disk, doc.Text)
	}
}
