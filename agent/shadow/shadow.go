//go:build linux

package shadow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/rewrite"
	"github.com/patchls/patchls/edits/merge"
	"github.com/patchls/patchls/lsp/view"
)

// shadow is a file with a document's text, mounted over the document's file.
type shadow struct {
	path string // of the document's file, links resolved
	file string // its own, in the keeper's folder
	form rewrite.Form
	*events

	// These fields belong to the goroutine that syncs the shadow, and to the keeper while none does.
	editor          agent.Editor
	uri             string
	rewrite.Version                 // the document's text in the shadow; Rev is "" if the agent wrote it
	has             string          // the bytes of that text in the file
	own             bool            // the agent wrote has
	before          rewrite.Version // the earlier text that a process has read last

	// These fields belong to the keeper.
	pid          int       // of the editor's server
	unsavedAt    time.Time // when the editor last listed the document as unsaved
	wantedRev    string    // the rev of the document in the editor's last list
	shownRev     string    // the rev of the text in the shadow
	busy         bool      // a goroutine syncs it
	again        bool      // it must be synced once more after that
	due          time.Time // when it must be synced; zero for never
	blockedSince time.Time // since when a process that has it open prevents the sync; zero if none does
	retired      bool      // it no longer covers its file, but a process may have it open
}

// errHeld says that another process has the shadow open.
var errHeld = errors.New("another process has the file open")

// leaseTime is how long a lease is held at most. If another process waits for the file, the system revokes the lease
// after 45 s (/proc/sys/fs/lease-break-time).
const leaseTime = 30 * time.Second

// take opens the shadow, and keeps other processes out until release. If one has it open, the error is [errHeld].
func (s *shadow) take() (*os.File, error) {
	f, err := os.OpenFile(s.file, os.O_RDWR|syscall.O_NOFOLLOW, 0) // the agent can write in the folder
	if err != nil {
		return nil, err
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		_ = f.Close() // nothing was written
		if errors.Is(err, syscall.EAGAIN) {
			return nil, errHeld
		}
		return nil, err
	}
	return f, nil
}

// takeRead opens the shadow even while other processes read it, and reports whether one has it open for writing.
func (s *shadow) takeRead() (f *os.File, written bool, err error) {
	if f, err = os.OpenFile(s.file, os.O_RDONLY|syscall.O_NOFOLLOW, 0); err != nil {
		return nil, false, err
	}
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	return f, err != nil, nil
}

func release(f *os.File) {
	_, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK) // a child process that is being started may share the open file
	_ = f.Close()                                               // the file is in memory, so no write error can come late
}

// sync makes what the agent has written an edit of the buffer, and updates the shadow from the buffer if it is stale.
// It returns [errHeld], [rewrite.ErrLater], a *rewrite.RefusedError, or another error, after which the shadow is as it was.
func (s *shadow) sync(ctx context.Context, stale, retired bool) error {
	f, err := s.take()
	if err != nil {
		return err
	}
	defer release(f)
	ctx, cancel := context.WithTimeout(ctx, leaseTime)
	defer cancel()
	got, err := contents(f)
	if err != nil {
		return err
	}
	refused := s.collect(ctx, got)
	if _, is := errors.AsType[*rewrite.RefusedError](refused); retired || refused != nil && !is || refused == nil && !stale && s.Rev != "" {
		return refused
	}
	doc, err := agent.Document(ctx, s.editor, s.uri)
	if err != nil {
		return cmp.Or(refused, err)
	}
	switch now, err := contents(f); {
	case err != nil:
		return cmp.Or(refused, err)
	case now != got: // the system has revoked the lease, such as while the computer slept
		return errors.Join(refused, errHeld)
	}
	return cmp.Or(refused, s.put(f, doc))
}

// contents returns what is in a file that no other process has open. It maps the file, so that events records no read.
func contents(f *os.File) (string, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return "", err
	}
	mapped, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return "", err
	}
	got := string(mapped)
	return got, unix.Munmap(mapped)
}

// collect has the editor make an edit of what the agent has written. The edit is never made twice: it is tried again
// only if nothing was sent.
func (s *shadow) collect(ctx context.Context, got string) error {
	if got == s.has {
		return nil
	}
	var err error
	c := s.change(got)
	switch {
	case !rewrite.IsText(got):
		err = c.Refusal(errors.New("it is no text in UTF-8"), nil)
	case c.Size() > 0 && s.isFull():
		err = c.Refusal(errors.New("no memory is left, so it may be cut"), nil)
	case c.Size() > 0:
		err = c.MakeParts(ctx, s.editor)
	}
	if !errors.Is(err, rewrite.ErrLater) {
		s.wrote(got)
	}
	return err
}

// isFull reports whether there is no memory left for shadows.
func (s *shadow) isFull() bool {
	var of unix.Statfs_t
	return unix.Statfs(filepath.Dir(s.file), &of) == nil && of.Bavail == 0
}

// wrote remembers what the agent has written, so that it is not collected again.
func (s *shadow) wrote(got string) {
	s.Version, s.has, s.own = rewrite.Version{Text: s.form.Text(got)}, got, true
}

// change returns the change by which the agent has come to these bytes. If no process has read the shadow's text, the
// agent may have started from the text that was read before: then what the user has typed since must not be removed. A
// read through a file open for writing does not count: Claude Code does that to restore the text if writing fails.
func (s *shadow) change(got string) rewrite.Change {
	now := s.form.Text(got)
	c := rewrite.Of(s.uri, s.Version, now)
	if s.own || s.of(s.file).read {
		return c
	}
	old := rewrite.Of(s.uri, s.before, now)
	if old.Size() >= c.Size() {
		return c
	}
	if s.before.Rev == "" && s.Rev != "" { // before is the agent's own text, which the editor never had, since the user has typed
		if m := merge.Texts(s.before.Text, s.Text, now); len(m.Conflicts) == 0 {
			return rewrite.Of(s.uri, s.Version, m.Text)
		}
	}
	return old
}

// put writes a document's text into the shadow, in place, if it differs. After an error the shadow is as it was.
func (s *shadow) put(f *os.File, doc view.Document) error {
	if saved := s.form.Saved(doc.Text); saved != s.has {
		seen := s.own || s.of(s.file).some
		if err := overwrite(f, saved); err != nil {
			return err
		}
		if seen {
			s.before = s.Version
		}
		s.has, s.own = saved, false
		s.reset(s.file)
	}
	s.Version = rewrite.Version{Text: doc.Text, Rev: doc.Rev}
	return nil
}

// overwrite replaces the text of a file in memory. If there is no memory for the new text, the file stays as it is.
func overwrite(f *os.File, now string) error {
	if now != "" {
		if err := unix.Fallocate(int(f.Fd()), 0, 0, int64(len(now))); err != nil {
			return err
		}
	}
	if _, err := f.WriteAt([]byte(now), 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(now)))
}

// create makes the shadow's file with a document's text. before is the version that a process may have read before it.
func (s *shadow) create(doc view.Document, before rewrite.Version, mode os.FileMode) error {
	f, err := os.OpenFile(s.file, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	err = errors.Join(s.put(f, doc), f.Chmod(mode.Perm()), f.Close())
	s.before = before
	return err
}

// mount mounts the shadow over the document's file.
func (s *shadow) mount() error { return unix.Mount(s.file, s.path, "", unix.MS_BIND, "") }

// escapes are how the system writes a path into a list of mounts.
var escapes = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\043`, "#", `\134`, `\`)

// places returns the paths where the shadow is mounted, visible or not. A renamed folder takes the mount along.
func (s *shadow) places() (paths []string) {
	var own unix.Stat_t
	if unix.Stat(filepath.Dir(s.file), &own) != nil {
		return nil
	}
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	device := fmt.Sprintf("%d:%d", unix.Major(own.Dev), unix.Minor(own.Dev))
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); len(f) > 4 && f[2] == device && f[3] == "/"+filepath.Base(s.file) {
			paths = append(paths, escapes.Replace(f[4]))
		}
	}
	return paths
}

// isAt reports whether a path leads to the shadow.
func (s *shadow) isAt(path string) bool {
	own, err := os.Stat(s.file)
	there, missing := os.Stat(path)
	return err == nil && missing == nil && os.SameFile(own, there)
}

// uncover unmounts the shadow where it is visible, with the shadows below it.
func (s *shadow) uncover() {
	for _, path := range s.places() {
		if s.isAt(path) {
			unmount(path, filepath.Dir(s.file))
		}
	}
}

// unmount unmounts all shadows of the folder from a path.
func unmount(path, folder string) {
	var own, there unix.Stat_t
	if unix.Stat(folder, &own) != nil {
		return
	}
	for unix.Stat(path, &there) == nil && there.Dev == own.Dev {
		if unix.Unmount(path, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW) != nil {
			return
		}
	}
}
