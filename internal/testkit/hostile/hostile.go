// Package hostile makes hostile peers for tests: it derives what they say from a grammar
// of honest messages, and then corrupts it. It knows the wire, but not who is at the other
// end: a test plays the steps and checks what must hold.
package hostile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Step is one thing that a hostile peer does. Whoever plays the steps defines the verbs.
type Step struct {
	Verb  string
	Times int    // more than once in a row, if above 1
	Body  string // see [Step.Text]
}

// Verbs on a wire.
const (
	Send    = "send"    // a message, framed
	Raw     = "raw"     // bytes as they are
	Answers = "answers" // how requests of the other side are answered, see [Manners] and [Server]
	Stall   = "stall"   // from here on nothing is read
	Close   = "close"   // the connection
	Call    = "call"    // a command: {"command":…,"arguments":…}
)

// Manners are ways to answer a request.
var Manners = []string{"yes", "silence", "no", "error", "garbage", "twice", "another-id", "null"}

// Text returns the body expanded: §N*s§ stands for N times s.
func (s Step) Text() string {
	parts := strings.Split(s.Body, "§")
	for i := 1; i < len(parts); i += 2 {
		n, what, ok := strings.Cut(parts[i], "*")
		if count, err := strconv.Atoi(n); ok && err == nil && count >= 0 && count*len(what) <= 4<<20 {
			parts[i] = strings.Repeat(what, count)
		}
	}
	return strings.Join(parts, "")
}

// Print returns a case as it is kept: a step in a line.
func Print(steps []Step) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteString(s.Verb)
		if s.Times > 1 {
			fmt.Fprintf(&b, " x%d", s.Times)
		}
		if s.Body != "" {
			quoted := strconv.Quote(s.Body)
			if strconv.CanBackquote(s.Body) {
				quoted = "`" + s.Body + "`"
			}
			b.WriteString(" " + quoted)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Parse reads what [Print] wrote. Lines that begin with # are remarks.
func Parse(text string) ([]Step, error) {
	var steps []Step
	for n, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s, err := parseStep(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		steps = append(steps, s)
	}
	if len(steps) == 0 {
		return nil, errors.New("a case without steps")
	}
	return steps, nil
}

func parseStep(line string) (s Step, err error) {
	var rest string
	s.Verb, rest, _ = strings.Cut(line, " ")
	if times, ok := strings.CutPrefix(rest, "x"); ok {
		times, rest, _ = strings.Cut(times, " ")
		if s.Times, err = strconv.Atoi(times); err != nil {
			return s, err
		}
	}
	if rest != "" {
		s.Body, err = strconv.Unquote(rest)
	}
	return s, err
}
