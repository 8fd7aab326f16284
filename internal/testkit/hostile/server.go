package hostile

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/patchls/patchls/internal/framing"
	"github.com/patchls/patchls/internal/testkit/wire"
)

// Server draws what a hostile server does. An [Answers] step takes the next request and
// answers it in that manner, or with that message, in which ID stands for the id of the
// request. greeting is an honest answer to initialize.
func Server(d *Dice, w World, greeting string) []Step {
	p := &peer{Dice: d, World: w}
	answer := func(result string) {
		p.steps = append(p.steps, Step{Verb: Answers, Body: `{"jsonrpc":"2.0","id":"ID","result":` + result + `}`})
	}
	if !d.Once(4) {
		if answer(greeting); d.Once(4) {
			p.steps[0].Body = Spoil(d, p.steps[0].Body, 1+d.Int(2))
		}
	}
	for range d.Int(longest) {
		switch d.Int(12) {
		case 0, 1, 2:
			answer(Spoil(d, `{"documents":[{"uri":"file:///a.txt","path":"a.txt"}],"message":"done","applied":true,"verified":true,"files":[]}`, d.Int(3)))
		case 3, 4:
			p.steps = append(p.steps, Step{Verb: Answers, Body: Pick(d, Manners)})
		case 5:
			p.steps = append(p.steps, Step{Verb: Send, Times: 1 + d.Int(100), Body: p.serverMessage()})
		case 6:
			p.steps = append(p.steps, Step{Verb: Send, Body: p.odd()})
		case 7:
			p.steps = append(p.steps, p.breakFrame(p.serverMessage()))
		default:
			p.steps = append(p.steps, Step{Verb: Send, Body: Spoil(d, p.serverMessage(), d.Int(4))})
		}
	}
	if d.Once(3) {
		p.steps = append(p.steps, Step{Verb: Stall})
	}
	return append(p.steps, Step{Verb: Close})
}

// serverMessage returns a message that a server may send unprompted.
func (p *peer) serverMessage() string {
	switch p.Int(9) {
	case 0:
		return p.notification("patchls/changed", "null")
	case 1:
		return p.notification("$/progress", fmt.Sprintf(`{"token":"%d","value":{"kind":"report","message":"m","percentage":%d}}`, p.Int(9), p.Int(120)))
	case 2:
		return p.notification("textDocument/publishDiagnostics", fmt.Sprintf(`{"uri":%s,"diagnostics":[{"range":%s,"message":"m"}]}`, p.uri(), p.rangeOf()))
	case 3:
		return p.notification(Pick(p.Dice, []string{"window/logMessage", "window/showMessage", "$/cancelRequest"}), `{"type":1,"message":"m","id":1}`)
	case 4:
		return p.request("workspace/configuration", `{"items":[{"section":"patchls"},{"scopeUri":"x"}]}`)
	case 5:
		methods := []string{"client/registerCapability", "window/showMessageRequest", "window/workDoneProgress/create", "workspace/diagnostic/refresh", "unknown"}
		if !p.Harmless {
			methods = append(methods, "patchls/save")
		}
		return p.request(Pick(p.Dice, methods),
			fmt.Sprintf(`{"registrations":[],"type":1,"message":"m","actions":[{"title":"Yes"}],"token":1,"uris":[%s]}`, p.uri()))
	}
	all := []string{fmt.Sprintf(`{"range":%s,"newText":%s}`, p.rangeOf(), p.text())}
	for range p.Int(3) {
		all = append(all, fmt.Sprintf(`{"range":%s,"newText":"x"}`, p.rangeOf()))
	}
	edits := strings.Join(all, ",")
	change := fmt.Sprintf(`{"textDocument":{"uri":%s,"version":%s},"edits":[%s]}`, p.uri(), Pick(p.Dice, []string{"null", "0", "1", "2"}), edits)
	if p.Once(4) && !p.Harmless {
		change = fmt.Sprintf(`{"kind":%q,"uri":%s,"oldUri":%s,"newUri":%s}`, Pick(p.Dice, []string{"create", "delete", "rename", "x"}), p.uri(), p.uri(), p.uri())
	}
	return p.request("workspace/applyEdit", fmt.Sprintf(`{"label":"l","edit":{"documentChanges":[%s]}}`, change))
}

// Serve plays a server's steps on conn. It returns when a step or the other end closes the
// connection; after a [Stall] it stops reading and waits for stop.
func Serve(conn io.ReadWriteCloser, steps []Step, stop <-chan struct{}) {
	defer func() { _ = conn.Close() }()
	in := framing.NewReader(conn)
	for _, s := range steps {
		var err error
		switch s.Verb {
		case Send, Raw:
			text := s.Text()
			if s.Verb == Send {
				text = string(wire.Message([]byte(text)))
			}
			for i := 0; i < max(1, s.Times) && err == nil; i++ {
				_, err = io.WriteString(conn, text)
			}
		case Answers:
			err = answerNext(conn, in, s.Text())
		case Stall:
			<-stop
			return
		case Close:
			return
		}
		if err != nil {
			return
		}
	}
}

// answerNext answers the next request, and takes the notifications before it.
func answerNext(conn io.Writer, in *framing.Reader, manner string) error {
	for {
		body, err := in.Read()
		if err != nil {
			return err
		}
		var request struct {
			ID json.RawMessage
		}
		if err := json.Unmarshal(body, &request); err != nil {
			return err
		}
		if request.ID == nil {
			continue
		}
		const begin = `{"jsonrpc":"2.0","id":"ID",`
		said := map[string][]string{
			"yes": {begin + `"result":{}}`}, "no": {begin + `"result":false}`}, "null": {begin + `"result":null}`},
			"error": {begin + `"error":{"code":-32803,"message":"no","data":{"kind":7}}}`}, "garbage": {begin + `"result":[[[`},
			"twice": {begin + `"result":{}}`, begin + `"error":{"code":1,"message":"and no"}}`}, "another-id": {`{"jsonrpc":"2.0","id":7ID,"result":{}}`}, "silence": {},
		}
		texts, ok := said[manner]
		if !ok {
			texts = []string{manner}
		}
		for _, text := range texts {
			text = strings.NewReplacer(`"ID"`, string(request.ID), "7ID", "7"+string(request.ID)).Replace(text)
			if _, err := conn.Write(wire.Message([]byte(text))); err != nil {
				return err
			}
		}
		return nil
	}
}
