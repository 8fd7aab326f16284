package agent_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Some systems count a process's start from boot. Its time is then computed from the time
// of boot, which moves with the clock: it is another one after the clock was set. A live
// server must not look dead for that, nor a dead one alive because another process has its
// id and the clock was set back by the time between the two starts.
func TestTheClockJumps(t *testing.T) {
	year := 365 * 24 * time.Hour
	for _, tt := range []struct {
		name           string
		moved          time.Duration // the clock, since the server started
		before, now    string        // who has the process id
		found, cleaned bool
	}{
		{"not at all", 0, "boot:100", "boot:100", true, false},
		{"three seconds on", 3 * time.Second, "boot:100", "boot:100", true, false},
		{"years on", 30 * year, "boot:100", "boot:100", true, false},
		{"three seconds back", -3 * time.Second, "boot:100", "boot:100", true, false},
		{"back before the boot", -30 * year, "boot:100", "boot:100", true, false},
		{"back to when another process began", 0, "boot:100", "boot:4100", false, true},
		{"over a reboot, to the same moment", 0, "boot:100", "another:100", false, true},
		{"where nothing is counted", 3 * time.Second, "", "", false, true},
		{"before a file of an older patchls", 0, "", "boot:100", true, false},
		{"after a file of an older patchls", 3 * time.Second, "", "boot:100", false, true},
		{"before it is looked at from where nothing is counted", 0, "boot:100", "", true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			unixAlone(t)
			w := newWorld(t)
			w.fake.Birth = func(int) string { return tt.before }
			_, stop := w.open(newHost("Neovim"), 1)
			w.fake.Started = func(int) (time.Time, bool) { return born.Add(tt.moved), true }
			w.fake.Birth = func(int) string { return tt.now }
			if found := w.finder().Editors(w.context()); (len(found) == 1) != tt.found {
				t.Errorf("got %v, want it found: %t", found, tt.found)
			}
			file := w.file("1.json")
			content, err := os.ReadFile(file) // a process that listens keeps it, however dead it looks
			if err != nil {
				t.Fatal(err)
			}
			stop()
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
			deadSocket(t, w.file("1.sock"))
			w.finder().Editors(w.context())
			if left, _ := filepath.Glob(w.file("*")); (len(left) == 0) != tt.cleaned {
				t.Errorf("%q are left of it, want it cleaned: %t", left, tt.cleaned)
			}
		})
	}
}
