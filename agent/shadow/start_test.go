//go:build linux

package shadow

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
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

// TestInterruptWithoutATerminal: an interrupt that is sent to patchls alone, as services do, reaches the program that it
// runs. A terminal sends it to both, and then it must reach the program once.
func TestInterruptWithoutATerminal(t *testing.T) {
	if os.Getenv("PATCHLS_TEST_START") != "" {
		cmd := exec.Command("sh", "-c", "trap 'exit 7' INT; echo runs; for i in $(seq 6000); do sleep 0.01; done")
		status, err := start(t.Context(), cmd, nil)
		if err != nil {
			t.Fatal(err)
		}
		os.Exit(status.ExitStatus())
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	child := exec.CommandContext(ctx, exe, "-test.run=^TestInterruptWithoutATerminal$")
	child.Env = append(os.Environ(), "PATCHLS_TEST_START=1")
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "runs") {
	}
	if err := child.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if _ = child.Wait(); child.ProcessState.ExitCode() != 7 {
		t.Errorf("the program did not get the interrupt: %v", child.ProcessState)
	}
}
