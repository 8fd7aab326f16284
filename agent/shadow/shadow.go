//go:build linux

package shadow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/rewrite"
	"github.com/patchls/patchls/edits/merge"
	"github.com/patchls/patchls/lsp/view"
)

// shadow is a file with the text of a document, which lies over the document's file.
type shadow struct {
	path string // of the document's file, links followed
	file string // its own, in the keeper's folder
	form rewrite.Form
	*events

	// These are of the goroutine that syncs the shadow, and of the keeper while none does.
	editor          agent.Executor
	uri             string
	rewrite.Version                 // which the shadow had before the agent wrote
	has             string          // its bytes
	own             bool            // the agent has written them
	before          rewrite.Version // which a process has read last, before this one

	// These are the keeper's.
	pid     int       // of the editor's server
	seen    time.Time // when the document was unsaved last, as far as its editor has said so
	wanted  string    // the rev of the document as the editor has told it last
	shown   string    // the rev of the text in the shadow
	busy    bool      // a goroutine syncs it
	again   bool      // and it is to be synced once more
	due     time.Time // when it is to be synced; zero for never
	held    time.Time // since when another process has it open, and keeps it from being synced
	retired bool      // it lies over nothing any more, but a process may have it open
}

// errHeld says that another process has the shadow open.
var errHeld = errors.New("another process has the file open")

// leaseTime is how long a lease is held at most. After 45 s (/proc/sys/fs/lease-break-time) the
// system would take it away from the keeper, for one who waits.
const leaseTime = 30 * time.Second

// take opens the shadow while no other process has it open, and keeps it so until release.
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

// takeRead opens the shadow also while other processes read it, and reports whether one has it open to write.
func (s *shadow) takeRead() (f *os.File, written bool, err error) {
	if f, err = os.OpenFile(s.file, os.O_RDONLY|syscall.O_NOFOLLOW, 0); err != nil {
		return nil, false, err
	}
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	return f, err != nil, nil
}

func release(f *os.File) {
	_, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK) // a process that is about to be started may have the file open as well
	_ = f.Close()                                               // in memory, where nothing is late
}

// sync brings what the agent has written into the buffer, and the buffer's text into the shadow if that is stale.
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
	case now != got: // the system has taken the lease away, as when this computer slept
		return errors.Join(refused, errHeld)
	}
	return cmp.Or(refused, s.put(f, doc))
}

// contents returns what is in a file that no other process has open. That is no reading, as far as events know.
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

// collect has the editor make what the agent has written. Whatever comes of that, it is not made again, but
// where nothing was sent.
func (s *shadow) collect(ctx context.Context, got string) error {
	if got == s.has {
		return nil
	}
	var err error
	c := s.change(got)
	switch {
	case !rewrite.IsText(got):
		err = c.Refusal(errors.New("it is no text in UTF-8"))
	case c.Size() > 0 && s.isFull():
		err = c.Refusal(errors.New("no memory is left, so it may be cut"))
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

// isCollected reports whether all that is in the shadow is known.
func (s *shadow) isCollected(f *os.File) bool {
	got, err := contents(f)
	return err == nil && got == s.has
}

// change returns what the agent has made of a text to come to these bytes. Where no process has read the text of the shadow, the
// agent may have made them of the one that was read before: what the user has typed since is not to be taken out then. So
// may one that reads what it writes over, as Claude Code does to put it back where writing fails.
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
	if s.before.Rev == "" && s.Rev != "" { // the agent's own text, which was never the editor's, since the user has typed
		if m := merge.Texts(s.before.Text, s.Text, now); m.Conflicts == 0 {
			return rewrite.Of(s.uri, s.Version, m.Text)
		}
	}
	return old
}

// put writes a document's text into the shadow, in place, where it has another one. After an error the shadow is as it was.
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

// overwrite gives a file in memory another text, or leaves it as it is if there is no memory for that.
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

// create makes the file of the shadow with a document's text. The one before is what was read before.
func (s *shadow) create(doc view.Document, before rewrite.Version, mode os.FileMode) error {
	f, err := os.OpenFile(s.file, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	err = errors.Join(s.put(f, doc), f.Chmod(mode.Perm()), f.Close())
	s.before = before
	return err
}

// mount lays the shadow over the document's file.
func (s *shadow) mount() error { return unix.Mount(s.file, s.path, "", unix.MS_BIND, "") }

// covers reports whether the shadow is what is at the document's path. It is not once another program
// has put a file there, outside of the namespace.
func (s *shadow) covers() bool { return s.isAt(s.path) }

// escapes are how the system writes a path into a list of mounts.
var escapes = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\043`, "#", `\134`, `\`)

// places returns the paths that the shadow lies over, or under another one: it goes with a folder that is renamed.
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

// isAt reports whether the shadow is what is at a path.
func (s *shadow) isAt(path string) bool {
	own, err := os.Stat(s.file)
	there, missing := os.Stat(path)
	return err == nil && missing == nil && os.SameFile(own, there)
}

// isSeen reports whether the shadow lies over anything still. Under another one it goes with that.
func (s *shadow) isSeen() bool { return slices.ContainsFunc(s.places(), s.isAt) }

// uncover takes the shadow away from where it is seen, with those below it.
func (s *shadow) uncover() {
	for _, path := range s.places() {
		if s.isAt(path) {
			unmount(path, filepath.Dir(s.file))
		}
	}
}

// unmount takes all shadows away that lie over a path, of those in the folder.
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
