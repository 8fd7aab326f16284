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
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace/paths"
)

// shadow is a file with a document's text, mounted over the document's file.
type shadow struct {
	path string    // of the document's file, links resolved
	file string    // its own, in the keeper's folder
	form text.Text // has the line ends and the byte order mark of a text that is saved
	*events

	// These fields belong to the goroutine that syncs the shadow, and to the keeper while none does.
	editor  agent.Editor
	uri     string
	version         // the document's text in the shadow
	has     string  // the bytes of that text in the file
	own     bool    // the agent wrote has
	before  version // the earlier text that a process has read last

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

// version is a text of a document.
type version struct {
	text string // as the editor reports it
	rev  string // "" if the agent wrote it
}

// inForm returns a text of the file as the editor, which reports v, would report it.
func (v version) inForm(saved string) string {
	return text.InForm(text.New(v.text), text.New(saved)).String()
}

// errLater says that nothing was sent, since the editor cannot be reached at the moment.
var errLater = errors.New("the editor is not there")

// errTyping says that the command's time was up, since the user kept typing. The text is sent again: what the editor has
// made of it late is merged with it.
var errTyping = errors.New("the user kept typing")

// errHeld says that another process has the shadow open.
var errHeld = errors.New("another process has the file open")

// leaseTime is how long a lease is held at most. If another process waits for the file, the system revokes the lease
// after 45 s (/proc/sys/fs/lease-break-time).
const leaseTime = 30 * time.Second

// take opens the shadow, and keeps other processes out until release: with F_WRLCK all of them, with F_RDLCK, which needs a
// file that is opened to be read, those that write. If one has it open already, the error is [errHeld]. The file must be
// released after an error as well.
func (s *shadow) take(flag, lease int) (*os.File, error) {
	f, err := os.OpenFile(s.file, flag|syscall.O_NOFOLLOW, 0) // the agent can write in the folder
	if err != nil {
		return nil, err
	}
	if _, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, lease); errors.Is(err, syscall.EAGAIN) {
		err = errHeld
	}
	return f, err
}

// release ends what take has begun; f may be nil.
func release(f *os.File) {
	_, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK) // a child process that is being started may share the open file
	_ = f.Close()                                               // the file is in memory, so no write error can come late
}

// sync makes what the agent has written an edit of the buffer, and updates the shadow from the buffer if it is stale.
// It returns [errHeld], [errLater], [errTyping], a *refusedError, or another error, after which the shadow is as it was.
func (s *shadow) sync(ctx context.Context, stale, retired bool) error {
	f, err := s.take(os.O_RDWR, unix.F_WRLCK)
	defer release(f)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, leaseTime)
	defer cancel()
	got, err := contents(f)
	if err != nil {
		return err
	}
	refused := s.collect(ctx, got)
	if _, is := errors.AsType[*refusedError](refused); retired || refused != nil && !is || refused == nil && !stale && s.rev != "" {
		return refused
	}
	doc, err := agent.Document(ctx, s.editor, "", view.DocumentArgs{URI: s.uri})
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

// collect has the editor make what the agent has written the text of the document. It is never sent twice, unless it
// was not sent or the user kept typing.
func (s *shadow) collect(ctx context.Context, got string) error {
	if got == s.has {
		return nil
	}
	var err error
	var memory unix.Statfs_t
	base, now := s.base(got), s.inForm(got)
	switch {
	case !isText(got):
		err = s.refused(base, now, errors.New("it is no text in UTF-8"))
	case size(base.text, now) == 0:
	case unix.Statfs(filepath.Dir(s.file), &memory) == nil && memory.Bavail == 0:
		err = s.refused(base, now, errors.New("no memory is left, so it may be cut"))
	default:
		err = s.write(ctx, base, now)
	}
	if !errors.Is(err, errLater) && !errors.Is(err, errTyping) {
		s.wrote(got)
	}
	return err
}

// write sends a text that the agent has made from base. The server merges it with what has changed since. Where base is
// the agent's own text, the server knows it.
func (s *shadow) write(ctx context.Context, base version, now string) error {
	_, err := s.editor.Execute(ctx, agent.Call{Command: "write", Arguments: commands.Write{Path: s.uri, Write: command.Write{Content: now}, Based: commands.Based{Rev: base.rev}}})
	switch {
	case err == nil, words.IsKind(err, edits.NoChange):
		return nil
	case errors.Is(err, agent.ErrNotSent):
		return errLater
	case words.IsKind(err, edits.TimedOut):
		return errTyping
	case words.IsKind(err, edits.Stale):
		err = errors.New("the same lines have changed since")
	}
	return s.refused(base, now, err)
}

// refusedError is a change that was not made.
type refusedError struct {
	error        // for the user, one line
	diff  string // the change as a patch
}

// refused returns the error for the change from base to now.
func (s *shadow) refused(base version, now string, why error) *refusedError {
	was := text.New(base.text)
	es := diff.Rewrite(was, 0, was.Len(), now)
	message, _ := words.ErrorData(why)
	said := fmt.Errorf("%s of the agent not made: %s", edits.Count(len(diff.PlanOf(was, es).Hunks), "change"), paths.OneLine(message, paths.MaxShownMessage))
	return &refusedError{said, diff.Unified(s.path, s.path, was, es.Apply(was), es)}
}

// wrote remembers what the agent has written, so that it is not collected again.
func (s *shadow) wrote(got string) {
	s.version, s.has, s.own = version{text: s.inForm(got)}, got, true
}

// base returns the text from which the agent has made these bytes. If no process has read the shadow's text, the
// agent may have started from the text that was read before: then what the user has typed since must not be removed. A
// read through a file open for writing does not count: Claude Code does that to restore the text if writing fails.
func (s *shadow) base(got string) version {
	now := s.inForm(got)
	if s.own || s.of(s.file).read || size(s.before.text, now) >= size(s.text, now) {
		return s.version
	}
	return s.before
}

// size is how many bytes the change from a text to another one takes out and puts in. It ignores the kind of line ends.
func size(was, now string) int {
	t := text.New(was)
	return lists.Sum(diff.Rewrite(t, 0, t.Len(), now), func(e edits.Edit) int { return e.End - e.Start + len(e.New) })
}

// put writes a document's text into the shadow, in place, if it differs. After an error the shadow is as it was.
func (s *shadow) put(f *os.File, doc view.Document) error {
	if saved := text.InForm(s.form, text.New(doc.Text)).String(); saved != s.has {
		seen := s.own || s.of(s.file).some
		if err := overwrite(f, saved); err != nil {
			return err
		}
		if seen {
			s.before = s.version
		}
		s.has, s.own = saved, false
		s.reset(s.file)
	}
	s.version = version{doc.Text, doc.Rev}
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
func (s *shadow) create(doc view.Document, before version, mode os.FileMode) error {
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
func (s *shadow) places() (all []string) {
	var own unix.Stat_t
	if unix.Stat(filepath.Dir(s.file), &own) != nil {
		return nil
	}
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	device := fmt.Sprintf("%d:%d", unix.Major(own.Dev), unix.Minor(own.Dev))
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); len(f) > 4 && f[2] == device && f[3] == "/"+filepath.Base(s.file) {
			all = append(all, escapes.Replace(f[4]))
		}
	}
	return all
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

// formOf returns a text in whose form an editor saves its text, given a file on disk and what the editor has of it: editors
// may keep CRLF line ends and a byte order mark apart. In a form with both kinds of line ends, a text keeps its own.
func formOf(disk, now string) text.Text {
	form := "\r\n\n"
	if text.New(disk).LineEnds() == "crlf" && !strings.Contains(now, "\r") {
		form = "\r\n"
	}
	if strings.HasPrefix(disk, text.BOM) || strings.HasPrefix(now, text.BOM) {
		form = text.BOM + form
	}
	return text.New(form)
}

// isText reports whether s is text in UTF-8. How an editor saves other encodings is not known here.
func isText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }
