//go:build linux

package shadow

import (
	"context"
	"os/exec"
	"testing"
)

// A signal that comes while the shadows are laid is not lost: nothing is started then.
func TestEndedBeforeItIsStarted(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	end()
	cmd := exec.Command("true")
	if status, err := start(ctx, cmd, nil); err != nil || status.ExitStatus() != 143 || cmd.Process != nil {
		t.Errorf("exit code %d (%v), process %v", status.ExitStatus(), err, cmd.Process)
	}
}
