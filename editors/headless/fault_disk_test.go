package headless

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/patchls/patchls/internal/disk"
)

// tally counts the outcomes of a kind of fault.
type tally struct{ points, refused, saved, told, lost int }

// faultTable counts by kind. Short runs take each 149th point, PATCHLS_FAULTS=all takes all.
type faultTable struct {
	kinds  map[string]*tally
	points int
	stride int
}

func newFaultTable() *faultTable {
	f := &faultTable{kinds: map[string]*tally{}, stride: 149}
	if os.Getenv("PATCHLS_FAULTS") == "all" {
		f.stride = 1
	}
	if testing.Short() {
		f.stride *= 10
	}
	return f
}

// takes counts a point, and reports whether it is run.
func (f *faultTable) takes() bool {
	f.points++
	return f.points%f.stride == 0
}

func (f *faultTable) of(kind string) *tally {
	if f.kinds[kind] == nil {
		f.kinds[kind] = &tally{}
	}
	f.kinds[kind].points++
	return f.kinds[kind]
}

func (f *faultTable) log(t *testing.T) {
	t.Helper()
	var b strings.Builder
	sum := tally{}
	fmt.Fprintf(&b, "%-40s %7s %8s %7s %6s %5s\n", "kind", "points", "refused", "saved", "told", "lost")
	for _, kind := range slices.Sorted(maps.Keys(f.kinds)) {
		k := f.kinds[kind]
		fmt.Fprintf(&b, "%-40s %7d %8d %7d %6d %5d\n", kind, k.points, k.refused, k.saved, k.told, k.lost)
		sum = tally{sum.points + k.points, sum.refused + k.refused, sum.saved + k.saved, sum.told + k.told, sum.lost + k.lost}
	}
	fmt.Fprintf(&b, "%-40s %7d %8d %7d %6d %5d", "all", sum.points, sum.refused, sum.saved, sum.told, sum.lost)
	t.Log("\n" + b.String())
}

// systemFaults are what a call to the system can meet.
var systemFaults = map[string]func(op, path string, do func() error) error{
	"ENOSPC": func(op, path string, _ func() error) error {
		return &fs.PathError{Op: op, Path: path, Err: syscall.ENOSPC}
	},
	"EIO": func(op, path string, _ func() error) error {
		return &fs.PathError{Op: op, Path: path, Err: syscall.EIO}
	},
	"EACCES": func(op, path string, _ func() error) error {
		return &fs.PathError{Op: op, Path: path, Err: syscall.EACCES}
	},
	"EROFS": func(op, path string, _ func() error) error {
		return &fs.PathError{Op: op, Path: path, Err: syscall.EROFS}
	},
	"EIO, though done": func(op, path string, do func() error) error {
		_ = do()
		return &fs.PathError{Op: op, Path: path, Err: syscall.EIO}
	},
	"short write": shortWrite,
}

// shortWrite writes half, and the disk is full.
func shortWrite(op, path string, do func() error) error {
	if op != "write" {
		return do()
	}
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	now, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	half := (len(now) + min(len(old), len(now))) / 2
	if len(old) >= len(now) { // it was overwritten
		half = len(now) / 2
	}
	if err := os.WriteFile(path, append(now[:half:half], old[min(half, len(old)):]...), 0); err != nil {
		return err
	}
	return &fs.PathError{Op: op, Path: path, Err: syscall.ENOSPC}
}

// TestFaultSystem fails each call of each save once, and once that call and all later ones.
// The files are then all old or all new, as the error says, or the error names those that are
// not; the buffers keep the text; no temporary files are left; and then all can be saved.
func TestFaultSystem(t *testing.T) {
	table := newFaultTable()
	for _, script := range faultScripts() {
		t.Run(script.name, func(t *testing.T) {
			after, calls := script.after(t)
			for _, kind := range slices.Sorted(maps.Keys(systemFaults)) {
				for n, op := range calls {
					for _, from := range []bool{false, true} {
						if kind == "short write" && (op != "write" || from) || !table.takes() {
							continue
						}
						name := kind
						if from {
							name += " from then on"
						}
						t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
							r := newSession(t, &script, t.TempDir())
							r.systemFault(after, systemFaults[kind], n, from, table.of(name))
						})
					}
				}
			}
		})
	}
	table.log(t)
}

func (r *session) systemFault(after map[string]string, fault func(op, path string, do func() error) error, n int, from bool, count *tally) {
	r.t.Helper()
	i, at := -1, ""
	err := r.save(func(op, path string, do func() error) error {
		if i++; i == n {
			at = op
		}
		if i == n || from && i > n {
			return fault(op, path, do)
		}
		return do()
	})
	r.t.Logf("%s: %v", at, err)
	r.keepsTexts()
	_, half := errors.AsType[*disk.HalfSavedError](err)
	now := snapshot(r.t, r.dir)
	saved := err == nil || errors.Is(err, disk.ErrNotDurable)
	temps := from || at == "remove" // the next save removes the temporary files that are left
	switch {
	case half:
		count.told++
		for path, was := range r.before {
			if now[path] != was && now[path] != after[path] && !r.isNamed(path, err) {
				r.t.Errorf("%s has %q, and nobody says so: %v", path, now[path], err)
			}
		}
	case saved:
		count.saved++
		r.is(now, after, temps)
	default:
		count.refused++
		r.is(now, r.before, temps)
	}
	if !half && !temps {
		r.nothingLeft()
	}
	if saved {
		r.e.disk.Recover()
	} else if err := r.save(nil); err != nil {
		r.t.Errorf("then %v", err)
	}
	r.is(snapshot(r.t, r.dir), after, false)
	r.nothingLeft()
	if r.t.Failed() {
		count.lost++
	}
}

// is compares two snapshots. If temps is set, now may contain temporary files.
func (r *session) is(now, want map[string]string, temps bool) {
	r.t.Helper()
	now = maps.Clone(now)
	maps.DeleteFunc(now, func(path, _ string) bool {
		return temps && (strings.Contains(path, ".patchls-") || want[path] == "" && strings.HasSuffix(path, "/sub") || strings.HasSuffix(path, "/deep"))
	})
	want = maps.Clone(want)
	maps.DeleteFunc(want, func(path, _ string) bool { return temps && strings.HasSuffix(path, "/deep") })
	if !maps.Equal(now, want) {
		r.t.Errorf("disk has  %q\n   want %q", now, want)
	}
}

// keepsTexts: saving changes no buffer.
func (r *session) keepsTexts() {
	r.t.Helper()
	for _, b := range r.e.Buffers() {
		if b.Text() != r.texts[b.URI()] {
			r.t.Errorf("the buffer has %q, want %q", b.Text(), r.texts[b.URI()])
		}
	}
}

// isNamed reports whether the error names the file, by one of its names.
func (r *session) isNamed(path string, err error) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(r.before)), func(other string) bool {
		return r.sameFile(path, other) && strings.Contains(err.Error(), r.dir+"/w"+other)
	})
}
