package agent

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// An entry that an earlier version wrote has the time of boot from /proc/stat.
func TestTheTimeOfBootIsTheKernels(t *testing.T) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Skipf("there is no /proc here: %v", err)
	}
	for line := range bytes.Lines(stat) {
		value, ok := strings.CutPrefix(string(line), "btime ")
		if !ok {
			continue
		}
		sec, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := bootTime()
		if want := time.Unix(sec, 0); !ok || got.Sub(want).Abs() > time.Second { // the clock may be slewed meanwhile
			t.Errorf("boot was at %v, want %v", got, want)
		}
		return
	}
	t.Skip("/proc/stat does not say when the system was booted")
}

// The birth of a process is the same at each call, and differs between processes.
func TestABirthIsOfOneProcess(t *testing.T) {
	if _, err := os.Stat("/proc/sys/kernel/random/boot_id"); err != nil {
		t.Skipf("there is no /proc here: %v", err)
	}
	birthOf := func(pid int) string {
		_, birth, _ := processOf(pid)
		return birth
	}
	mine := birthOf(os.Getpid())
	if again := birthOf(os.Getpid()); mine == "" || again != mine {
		t.Errorf("%q and then %q", mine, again)
	}
	if first := birthOf(1); first == mine {
		t.Errorf("the first process and this one are both %q", mine)
	}
	if none := birthOf(1 << 30); none != "" {
		t.Errorf("nobody is %q", none)
	}
}
