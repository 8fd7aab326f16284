package lsp_test

import (
	"strings"
	"testing"
)

// agentFaults are those of the connection of an agent.
var agentFaults = []faultKind{
	{group: "agent", name: "cut before its message", class: anyUp, act: breaks(0, cutOff)},
	{group: "agent", name: "cut before a message to it", class: anyDown, act: breaks(0, cutOff)},
	{group: "agent", name: "silent for ever", class: anyUp, act: breaks(0, goesOn)},
	{group: "agent", name: "silent in its message", class: anyUp, act: breaks(0.5, goesOn)},
	{group: "agent", name: "its message twice", class: anyUp, act: instead(func(_ message, b []byte) []string { return []string{string(b), string(b)} })},
	{group: "agent", name: "its message not JSON", class: anyUp, act: instead(func(_ message, b []byte) []string { return []string{string(b[:len(b)-1])} })},
	{group: "agent", name: "hears nothing any more", class: anyDown, act: breaks(0, goesOn)},
	{group: "agent", name: "reads nothing any more", class: anyDown, act: breaks(0, deaf)},
}

// parts is into how many parts a message is divided, at each of which it is cut.
const parts = 16

// TestFaultsOfAnAgent runs the session with faults of the agent's connection. The editor
// and the next agent must not feel them.
func TestFaultsOfAnAgent(t *testing.T) {
	tab := newFaultTable(t)
	r, failed := suffered(t, nil, nil, nil)
	if len(failed) > 0 {
		t.Fatal(strings.Join(failed, "\n"))
	}
	try := func(kind faultKind) func(n int) (bool, []string) {
		return func(n int) (bool, []string) {
			r, failed := suffered(t, nil, &fault{kind, n}, nil)
			return r.first != nil && r.first.hasFired(), failed
		}
	}
	for _, kind := range agentFaults {
		tab.run(kind.group, kind.name, r.first.seen[kind.class], false, try(kind))
	}
	cuts := r.first.seen[anyUp] * parts
	tab.run("agent", "cut in its message", cuts, false, func(n int) (bool, []string) {
		part := (float64(n%parts) + 0.5) / parts
		return try(faultKind{class: anyUp, act: breaks(part, cutOff)})(n / parts)
	})
}

// TestFaultsOfTheClock runs the session with a clock that is wrong. The clock that the
// server has counts how long something takes, so whatever becomes of the time of day, it
// sees no more than this.
func TestFaultsOfTheClock(t *testing.T) {
	tab := newFaultTable(t)
	r, failed := suffered(t, nil, nil, nil)
	if len(failed) > 0 {
		t.Fatal(strings.Join(failed, "\n"))
	}
	for _, kind := range []struct {
		name  string
		wrong func(at int) func(n int) clockFault
	}{
		{"a timer is over at once", func(at int) func(int) clockFault { return only(at, atOnce) }},
		{"all timers are over at once", func(at int) func(int) clockFault { return only(at, allOver) }},
		{"a timer never ends", func(at int) func(int) clockFault { return only(at, never) }},
		{"each one from there is over at once", func(at int) func(int) clockFault { return since(at, atOnce) }},
		{"none from there ends", func(at int) func(int) clockFault { return since(at, never) }},
	} {
		tab.run("clock", kind.name, r.asked, false, func(n int) (bool, []string) {
			r, failed := suffered(t, nil, nil, kind.wrong(n))
			return r.asked > n, failed
		})
	}
}

func only(at int, f clockFault) func(int) clockFault {
	return func(n int) clockFault {
		if n == at {
			return f
		}
		return right
	}
}

func since(at int, f clockFault) func(int) clockFault {
	return func(n int) clockFault {
		if n >= at {
			return f
		}
		return right
	}
}
