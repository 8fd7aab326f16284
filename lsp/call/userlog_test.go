package call

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// A log that always says something says it to the user, too. (Here the log is what is
// tested.)
func TestTheEditorsLogHasWhatALogAlwaysSays(t *testing.T) {
	var b bytes.Buffer
	var told []string
	log := slog.New(UserLog{
		Handler: slog.NewTextHandler(&b, nil),
		Tell:    func(_ string, _ protocol.MessageType, message string) { told = append(told, message) },
	})
	log.With("n", 1).WithGroup("g").With("m", 2).Warn("hear", "time", "now", "stack", "deep")
	log.With("n", 1).Info("not this")
	log.Warn("again")
	if want := []string{"hear n=1 m=2 time=now", "again"}; !slices.Equal(told, want) {
		t.Errorf("the user is told %q, want %q", told, want)
	}
	for _, want := range []string{`level=WARN msg=hear n=1 g.m=2 g.time=now g.stack=deep`, `level=INFO msg="not this" n=1`, "level=WARN msg=again\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the log has no %q:\n%s", want, b.String())
		}
	}
}
