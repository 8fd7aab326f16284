package lsp_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/patchls/patchls/internal/testkit/hostile"
)

// hang is how long to wait for what must come: a server that takes longer has stopped.
const hang = time.Minute

// hostilePeer is one end of a wire, at which a hostile peer plays.
type hostilePeer struct {
	conn net.Conn
	// gone is closed when the other end has closed the connection.
	gone chan struct{}

	mu      sync.Mutex
	news    chan struct{} // closed at each answer
	manner  string
	stalled chan struct{}  // closed when nothing is read any more
	answers map[string]int // by id, as the server writes it
	faults  []error

	asked   map[string]int // by id, requests that must be answered
	unclear int            // messages of which it is for the server to say what they are; each is one thing
	astray  bool           // where messages begin is lost, or the hostile peer has ended it
	replies sync.WaitGroup

	// refusable: the other end may close the connection when the first message is not
	// what it must be.
	refusable bool
}

func newHostilePeer(conn net.Conn) *hostilePeer {
	p := &hostilePeer{
		conn: conn, gone: make(chan struct{}), news: make(chan struct{}), manner: "yes", stalled: make(chan struct{}),
		answers: map[string]int{}, asked: map[string]int{},
	}
	go p.read()
	return p
}

// play does what the steps say, and waits for the answers. Then the connection is
// closed, and the error says what did not hold.
func (p *hostilePeer) play(steps []hostile.Step) error {
	for _, s := range steps {
		if !p.step(s) {
			break
		}
	}
	if !p.astray {
		p.wait()
	}
	p.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, n := range p.answers {
		most := p.asked[id]
		if p.unclear -= max(0, n-most); n > most && p.unclear < 0 {
			p.faults = append(p.faults, fmt.Errorf("%d answers to %d requests of the id %.100s", n, most, id))
		}
	}
	return errors.Join(p.faults...)
}

// end closes the connection and waits until nothing of the peer is left.
func (p *hostilePeer) end() {
	_ = p.conn.Close()
	p.mu.Lock()
	p.stall()
	p.mu.Unlock()
	<-p.gone
	p.replies.Wait()
}

// step does one step, and reports whether there may be another one.
func (p *hostilePeer) step(s hostile.Step) bool {
	switch s.Verb {
	case hostile.Send:
		body := s.Text()
		for range max(1, s.Times) {
			p.expect(body)
			if !p.write(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)) {
				return false
			}
		}
	case hostile.Raw:
		text := s.Text()
		p.mu.Lock()
		p.astray = true
		p.unclear += 1 + strings.Count(text, "\n") // as many messages as there may be in it
		p.mu.Unlock()
		return p.write(text)
	case hostile.Answers:
		p.mu.Lock()
		p.manner = s.Body
		p.mu.Unlock()
	case hostile.Stall:
		p.astray = true
		p.mu.Lock()
		p.stall()
		p.mu.Unlock()
	case hostile.Close:
		p.astray = true
		return false
	}
	return true
}

// stall ends the reading. It is called with the lock.
func (p *hostilePeer) stall() {
	select {
	case <-p.stalled:
	default:
		close(p.stalled)
	}
}

func (p *hostilePeer) write(text string) bool {
	limit := hang
	select {
	case <-p.stalled:
		limit = 20 * time.Millisecond // who takes no answers need not be listened to
	default:
	}
	_ = p.conn.SetWriteDeadline(time.Now().Add(limit))
	_, err := io.WriteString(p.conn, text)
	if err != nil && !p.astray {
		p.fault(fmt.Errorf("the connection was closed, or not read, before %.200q: %w", text, err))
		p.astray = true
	}
	return err == nil
}

func (p *hostilePeer) fault(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, err)
}

// envelope is what the outermost members say about a message.
type envelope struct {
	id      string // "" if there is none that can be answered
	method  string
	request bool // to all readers
}

// readEnvelope reads a message as strictly as JSON-RPC has it, and takes it for a
// request only where no two readers can differ.
func readEnvelope(body string) (e envelope) {
	var members map[string]json.RawMessage
	if !utf8.ValidString(body) || json.Unmarshal([]byte(body), &members) != nil {
		return e
	}
	var number int64
	switch id := members["id"]; {
	case json.Unmarshal(id, &e.method) == nil && len(id) > 0:
		e.id = strconv.Quote(e.method)
	case json.Unmarshal(id, &number) == nil && len(id) > 0:
		e.id = strconv.FormatInt(number, 10)
	}
	var version string
	_ = json.Unmarshal(members["jsonrpc"], &version)
	e.method = ""
	isName := json.Unmarshal(members["method"], &e.method) == nil
	plain := string(members["id"]) == e.id && !strings.ContainsRune(e.id, '\\') // it is written as it will be answered
	for _, name := range []string{"jsonrpc", "id", "method", "params", "result", "error"} {
		plain = plain && strings.Count(strings.ToLower(body), `"`+name+`"`) <= 1
	}
	for name := range members {
		plain = plain && slices.Contains([]string{"jsonrpc", "id", "method", "params"}, name)
	}
	e.request = plain && version == "2.0" && isName && e.method != "" && e.id != ""
	return e
}

// expect notes what a message asks for.
func (p *hostilePeer) expect(body string) {
	e := readEnvelope(body)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refusable {
		p.refusable = false
		p.astray = p.astray || !isGreeting(body)
	}
	switch {
	case strings.Contains(body, "exit"), strings.Contains(body, "shutdown"):
		// After an exit no answer comes.
		p.astray = p.astray || strings.Contains(body, "exit")
		fallthrough
	case !e.request || p.astray:
		p.unclear++
	default:
		p.asked[e.id]++
	}
}

// isGreeting reports whether an agent that says this first is surely let in.
func isGreeting(body string) bool {
	return strings.HasPrefix(body, `{"jsonrpc":"2.0","id":"init","method":"initialize"`) && strings.Contains(body, `"token":"`+endpointToken+`"`)
}

// wait waits until all requests are answered.
func (p *hostilePeer) wait() {
	late := time.After(hang)
	for {
		p.mu.Lock()
		missing := ""
		for id, n := range p.asked {
			if p.answers[id] < n {
				missing = id
			}
		}
		news := p.news
		p.mu.Unlock()
		if missing == "" {
			return
		}
		select {
		case <-news:
		case <-p.gone:
			p.fault(fmt.Errorf("the connection was closed before the answer to %s", missing))
			return
		case <-late:
			p.fault(fmt.Errorf("no answer to %s", missing))
			return
		}
	}
}

// read takes what the server says, until it ends.
func (p *hostilePeer) read() {
	defer close(p.gone)
	in := bufio.NewReader(p.conn)
	for {
		body, err := readFrame(in)
		if _, ok := errors.AsType[*strconv.NumError](err); ok {
			p.fault(err)
		}
		if err != nil {
			return
		}
		p.take(body)
		select {
		case <-p.stalled:
			return
		default:
		}
	}
}

func (p *hostilePeer) take(body []byte) {
	var m message
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := json.Unmarshal(body, &m); err != nil {
		p.faults = append(p.faults, fmt.Errorf("the server says no JSON: %w: %.300q", err, body))
		return
	}
	if m.Method != "" {
		if m.ID != nil {
			manner := p.manner
			p.replies.Go(func() { p.reply(m, manner) })
		}
		return
	}
	p.answers[string(m.ID)]++
	if m.Error != nil && (m.Error.Code == -32603 || strings.Contains(m.Error.Message, "internal error")) {
		p.faults = append(p.faults, fmt.Errorf("a fault of the server: %s", m.Error.Message))
	}
	close(p.news)
	p.news = make(chan struct{})
}

// reply answers a request of the server.
func (p *hostilePeer) reply(m message, manner string) {
	result := map[string]string{"workspace/applyEdit": `{"applied":true}`, "workspace/configuration": `[{}]`}[m.Method]
	if result == "" {
		result = "null"
	}
	said := map[string][]string{
		"yes":        {`{"jsonrpc":"2.0","id":%s,"result":` + result + `}`},
		"no":         {`{"jsonrpc":"2.0","id":%s,"result":{"applied":false,"failureReason":"no"}}`},
		"error":      {`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"what?"}}`},
		"garbage":    {`{"jsonrpc":"2.0","id":%s,"result":[1,{"applied":"perhaps"}]}`},
		"null":       {`{"jsonrpc":"2.0","id":%s,"result":null}`},
		"twice":      {`{"jsonrpc":"2.0","id":%s,"result":` + result + `}`, `{"jsonrpc":"2.0","id":%s,"result":{"applied":false}}`},
		"another-id": {`{"jsonrpc":"2.0","id":%s0,"result":` + result + `}`},
	}[manner]
	for _, text := range said {
		body := fmt.Sprintf(text, m.ID)
		_, _ = fmt.Fprintf(p.conn, "Content-Length: %d\r\n\r\n%s", len(body), body) // it may have ended
	}
}
