package hostile

import (
	"fmt"
	"strconv"
)

// Verbs for discovery files and for peers that connect to a socket.
const (
	File    = "file"    // has this content
	As      = "as"      // is no file, but one of [Things]
	Mode    = "mode"    // in octal
	Connect = "connect" // from here on by this connection
)

// Things are what may lie where a file should.
var Things = []string{"fifo", "folder", "link", "dangling-link", "socket", "huge", "missing"}

// DiscoveryFile draws something that claims to be the discovery file of a server. sockets
// are those that it may name.
func DiscoveryFile(d *Dice, pid int, started, token string, sockets []string) []Step {
	text := fmt.Sprintf(`{"pid":%d,"started":%q,"name":"Neovim","version":"1","roots":["/"],"socket":%q,"token":%q}`, pid, started, Pick(d, sockets), token)
	text = Spoil(d, text, d.Int(4))
	switch d.Int(6) {
	case 0:
		text = text[:d.Int(len(text)+1)]
	case 1:
		text += Pick(d, []string{"\x00", "{}", "§70000* §", "]"})
	}
	steps := []Step{{Verb: File, Body: text}}
	if d.Once(4) {
		steps = append(steps, Step{Verb: As, Body: Pick(d, Things)})
	}
	if d.Once(4) {
		steps = append(steps, Step{Verb: Mode, Body: Pick(d, []string{"0644", "0000", "0200", "0660", "0700"})})
	}
	return steps
}

// Knocks draws what strangers, who do not know the token, do at a socket.
func Knocks(d *Dice) []Step {
	p := &peer{Dice: d, World: World{Root: "/", URIs: []string{"untitled:doc"}, Call: func(*Dice) string { return `{"command":"patchls.list","arguments":[{}]}` }}}
	for range 1 + d.Int(5) {
		p.steps = append(p.steps, Step{Verb: Connect, Times: 1})
		hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"hostile"},"initializationOptions":{"token":` + strconv.Quote(Pick(d, []string{"", "x", "0123456789abcdef0123456789abcdef", "§64*0§", "§60000*0§"})) + `}}}`
		switch d.Int(8) {
		case 0: // nothing is said
		case 1: // the beginning of something
			p.steps = append(p.steps, Step{Verb: Raw, Body: Pick(d, []string{"C", "Content-Length: 100\r\n", "Content-Length: 100\r\n\r\n{", "\r", "Content-Length: 65000\r\n\r\n" + `{"jsonrpc":`})})
		case 2:
			p.steps[len(p.steps)-1].Times = 1 + d.Int(60)
		case 3:
			p.steps = append(p.steps, p.breakFrame(hello))
		case 4:
			p.steps = append(p.steps, Step{Verb: Send, Body: p.agentMessage()})
		case 5:
			p.steps = append(p.steps, Step{Verb: Send, Body: hello}, Step{Verb: Close})
		case 6:
			p.steps = append(p.steps, Step{Verb: Raw, Body: "§200000*x§"})
		default:
			p.steps = append(p.steps, Step{Verb: Send, Body: Spoil(d, hello, d.Int(3))})
		}
	}
	return p.steps
}
