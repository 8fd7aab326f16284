//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// deceivingNames: in the question, its links and the status bar, a name passes for nothing
// else; Reject is Reject.
func deceivingNames(t *trial) {
	t.write("a.txt", oneTwo)
	t.open("a.txt")
	for _, c := range []struct{ name, shown string }{
		{"x (dry run). [Reject and tell the agent to stop", "［Reject and tell the agent to stop"},
		{"x (dry run). [Reject and stop\n\u202etxt", "Reject%20and%20stop%0A%E2%80%AEtxt"}, // as a URI
	} {
		t.write(c.name, oneTwo)
		q := t.agent.asks(context.Background(), "str_replace", args{"path": t.path(c.name), "old_str": "two", "new_str": "2"})
		t.must("question", until(settleTime, func() error {
			asked, err := t.asked()
			if err == nil && (len(asked) != 1 || !strings.Contains(asked[0], c.shown+" (1 line added, 1 removed)?") || !strings.HasSuffix(asked[0], "Apply | Show diff | Reject | Reject with a word…")) {
				err = fmt.Errorf("asked %q", asked)
			}
			return err
		}))
		t.chooses("Reject")
		<-q.done
		t.check("rejected", wants(kindOf(q.err), "rejected_by_editor"))
		if q.err == nil || strings.ContainsAny(q.err.Error(), "\n\u202e") {
			t.check("answer", errors.Join(errors.New("the agent's answer has the name as it is"), q.err))
		}
		t.check("disk unchanged", t.disk(c.name, oneTwo))
		t.check("closed", t.unasked())
	}
}
