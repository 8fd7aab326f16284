package call

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// The user is told warnings, but for stacks. (Here the log is what is tested.)
func TestTheUserIsToldWarnings(t *testing.T) {
	var b bytes.Buffer
	var told []string
	log := slog.New(UserLog{
		Handler: slog.NewTextHandler(&b, nil),
		Tell:    func(_ string, _ protocol.MessageType, message string) { told = append(told, message) },
	})
	log.Warn("hear", "time", "now", "stack", "deep")
	log.Info("not this")
	log.Warn("again")
	if want := []string{"hear time=now", "again"}; !slices.Equal(told, want) {
		t.Errorf("the user is told %q, want %q", told, want)
	}
	for _, want := range []string{`level=WARN msg=hear time=now stack=deep`, `level=INFO msg="not this"`, "level=WARN msg=again\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the log has no %q:\n%s", want, b.String())
		}
	}
}
