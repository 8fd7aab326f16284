package headless

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/disk"
)

// errDead is the error of calls after the point at which the process is killed.
var errDead = errors.New("the process is dead")

// dies makes all calls from n on do nothing; if torn is set and call n is a write, it writes half.
func dies(n int, torn bool) func(op, path string, do func() error) error {
	i := -1
	return func(op, path string, do func() error) error {
		switch i++; {
		case i < n:
			return do()
		case i == n && torn && op == "write":
			_ = shortWrite(op, path, do)
		}
		return errDead
	}
}

// TestFaultKilled ends the process at each call of each save, and half-way through each write;
// then it also ends the next process at some call. The last process finds all files old or all
// new, whatever state they were left in, and leaves no temporary files.
func TestFaultKilled(t *testing.T) {
	table := newFaultTable()
	for _, script := range faultScripts() {
		t.Run(script.name, func(t *testing.T) {
			after, calls := script.after(t)
			for n, op := range calls {
				for _, torn := range []bool{false, true} {
					for second := -1; second < 60; second += 12 {
						if torn && op != "write" || !table.takes() {
							continue
						}
						kind := "killed"
						if torn {
							kind += " in a write"
						}
						if second >= 0 {
							kind += ", and the next one, too"
						}
						t.Run(fmt.Sprintf("%s/%d/%d", kind, n, second), func(t *testing.T) {
							r := newSession(t, &script, t.TempDir())
							r.killed(after, n, torn, second, table.of(kind))
						})
					}
				}
			}
		})
	}
	table.log(t)
}

func (r *session) killed(after map[string]string, n int, torn bool, second int, count *tally) {
	r.t.Helper()
	_ = r.save(dies(n, torn))
	if second >= 0 {
		next := disk.Disk{Call: r.script.system(dies(second, second%2 == 0))}
		next.Recover()
	}
	r.recovered(after, count)
}

// recovered starts the next process, which must recover the files.
func (r *session) recovered(after map[string]string, count *tally) {
	r.t.Helper()
	next := disk.Disk{Call: r.script.system(nil)}
	next.Recover()
	now := snapshot(r.t, r.dir)
	if maps.Equal(now, after) {
		count.saved++
	} else {
		count.refused++
		r.is(now, r.before, false)
	}
	r.nothingLeft()
	if r.t.Failed() {
		count.lost++
	}
}

const childEnv = "PATCHLS_FAULT_CHILD"

// TestFaultChild is no test: it is the process that TestFaultProcess kills.
func TestFaultChild(t *testing.T) {
	name, rest, ok := strings.Cut(os.Getenv(childEnv), "|")
	if !ok {
		t.Skip("it is run by TestFaultProcess")
	}
	at, dir, _ := strings.Cut(rest, "|")
	n, _ := strconv.Atoi(at)
	for _, script := range faultScripts() {
		if script.name != name {
			continue
		}
		r := newSession(t, &script, dir)
		i := -1
		err := r.save(func(op, path string, do func() error) error {
			if i++; i != n {
				return do()
			}
			if op == "write" {
				_ = shortWrite(op, path, do)
			}
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			select {}
		})
		t.Errorf("it lives: %v", err)
	}
}

// TestFaultProcess is TestFaultKilled with processes that are killed indeed.
func TestFaultProcess(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	table := newFaultTable()
	table.stride = 101
	if os.Getenv("PATCHLS_FAULTS") == "all" {
		table.stride = 5
	}
	for _, script := range faultScripts() {
		t.Run(script.name, func(t *testing.T) {
			after, calls := script.after(t)
			for n := range calls {
				if !table.takes() {
					continue
				}
				t.Run(strconv.Itoa(n), func(t *testing.T) {
					r := &session{t: t, script: &script, dir: t.TempDir(), before: beforeOf(t, &script)}
					cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestFaultChild$")
					cmd.Env = append(os.Environ(), childEnv+"="+script.name+"|"+strconv.Itoa(n)+"|"+r.dir)
					if out, err := cmd.CombinedOutput(); err == nil || strings.Contains(string(out), "FAIL") {
						t.Fatalf("%v: %s", err, out)
					}
					t.Setenv("HOME", r.dir+"/home")
					t.Setenv("LocalAppData", r.dir+"/home")
					t.Setenv("TMPDIR", r.dir+"/tmp")
					r.recovered(after, table.of("killed by SIGKILL"))
				})
			}
		})
	}
	table.log(t)
}

func beforeOf(t *testing.T, script *faultScript) (before map[string]string) {
	t.Helper()
	t.Run("before", func(t *testing.T) { before = newSession(t, script, t.TempDir()).before })
	return before
}
