//go:build linux

package shadow

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// How long the keeper waits.
const (
	quiet     = 50 * time.Millisecond // after the agent has written, in case it goes on
	heldTime  = 500 * time.Millisecond
	passTime  = time.Second      // between two looks at what is open, if no editor reports a change
	graceTime = 5 * time.Second  // for an editor, or its server, to come back
	halfTries = 40               // waits of quiet, while a process may have written half a text
	lastTime  = 30 * time.Second // to collect what the agent wrote last, after it has ended
)

// keeper keeps the shadows. It belongs to one goroutine, unless a comment says otherwise.
type keeper struct {
	folder string
	find   *agent.Finder
	out    io.Writer
	ctx    context.Context
	asked  context.Context // ends when the user has sent a signal
	files  *events

	changed    chan struct{} // gets a value when documents of an editor have changed
	subscribed map[*agent.Conn]bool
	done       chan func()        // gets a function to call whenever a shadow is synced
	over       map[string]*shadow // by the paths that they cover
	all        map[string]*shadow // by their own files, including those that cover nothing
	locked     map[string]bool    // the files that lock was called for, by path
	refused    bool               // a change of the agent was not made
	stopped    map[int]bool       // what hold has stopped of the program, by process id; nil if the program is not held
}

// Keep is the keeper: it runs a program among shadows, and returns the program's exit code, or 1 instead of 0 if a
// change of the program was not made: no error could reach its write. The folder must be empty,
// and used by this process alone. A signal that arrives before the program has started cancels asked.
func Keep(asked context.Context, folder string, program []string, find *agent.Finder) (int, error) {
	if err := mountFolder(folder); err != nil {
		return 0, noNamespace(err)
	}
	files, err := newEvents(folder)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(context.Background()) // signals are for the agent
	defer cancel()
	k := &keeper{
		folder: folder, find: find, out: os.Stderr, ctx: ctx, asked: asked, files: files,
		changed: make(chan struct{}, 1), subscribed: map[*agent.Conn]bool{}, done: make(chan func()),
		over: map[string]*shadow{}, all: map[string]*shadow{}, locked: map[string]bool{},
	}
	find.Own = func(pid int) bool { return slices.Contains(processes(), pid) }
	ended := make(chan struct{})
	var status syscall.WaitStatus
	if err = k.look(); err == nil { // before the agent starts, so that it sees no other text
		go func() {
			defer close(ended)
			status, err = startAgent(asked, program)
		}()
		k.keep(ended)
	}
	k.finish(cancel)
	if err != nil {
		return 0, err
	}
	if code := end(status); code != 0 || !k.refused {
		return code, nil
	}
	return 1, nil
}

// mountFolder mounts a file system in memory at folder.
func mountFolder(folder string) error {
	// Programs that the agent starts in namespaces of their own must see later shadows as well.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""); err != nil {
		return err
	}
	if err := unix.Mount("patchls", folder, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0700"); err != nil {
		return err
	}
	// A shadow that covers another one must not cover the other one's file in the folder too.
	return unix.Mount("", folder, "", unix.MS_PRIVATE, "")
}

// keep keeps the shadows until the agent has ended.
func (k *keeper) keep(ended <-chan struct{}) {
	tick := time.NewTicker(passTime)
	defer tick.Stop()
	for {
		select {
		case <-k.changed:
			k.hold(k.look())
		case <-tick.C:
			k.hold(k.look())
		case <-k.files.written:
			wrote := k.files.writes()
			for path, s := range k.all {
				if wrote(path) {
					s.due = time.Now().Add(quiet)
				}
			}
		case now := <-k.next():
			for _, s := range k.all {
				if !s.due.IsZero() && !s.due.After(now) {
					k.start(s)
				}
			}
		case synced := <-k.done:
			synced()
		case <-ended:
			return
		}
	}
}

// look finds out which documents are unsaved, and covers their files, or keeps the program from writing them. It returns an
// error if an editor does not answer, which may have others.
func (k *keeper) look() (silent error) {
	now, unsaved, answered, locked := time.Now(), map[string]bool{}, map[int]bool{}, map[string]agent.File{}
	editors, silent := k.find.All(k.ctx)
	var docs []agent.File // by the paths of their files
	for _, e := range editors {
		answered[e.Live().PID] = true
		if !k.subscribed[e.Conn] {
			k.subscribed[e.Conn] = true
			go func() {
				for range e.Changed() {
					workspace.Wake(k.changed)
				}
			}()
		}
		for _, d := range e.Documents {
			f := agent.File{DocumentInfo: d, Editor: e.Conn}
			if f.Path = fileOf(d); f.Path != "" && d.As != "" {
				locked[f.Path] = f
			}
			docs = append(docs, f)
		}
	}
	for _, d := range docs {
		_, isLocked := locked[d.Path]
		if d.Path == "" || isLocked || !d.Unsaved || unsaved[d.Path] {
			continue
		}
		s, pid := k.over[d.Path], d.Editor.Live().PID
		if s == nil && d.Rev != "" {
			s = k.cover(d.Editor, pid, d.URI, d.Path)
		}
		switch {
		case s == nil:
			locked[d.Path] = d
			continue
		case s.pid != pid && answered[s.pid]: // the file is unsaved in two editors
			continue
		}
		if s.pid = pid; !s.busy {
			s.editor, s.uri = d.Editor, d.URI // the editor may have the file open under a link's path
		}
		s.unsavedAt, s.wantedRev, unsaved[d.Path] = now, d.Rev, true
		if !s.isAt(d.Path) { // a program outside of the namespace has put another file there
			s.uncover() // a renamed folder may have taken the mount along
			unsaved[d.Path] = s.mount() == nil
		}
		if s.wantedRev != "" && s.wantedRev != s.shownRev && s.blockedSince.IsZero() {
			k.start(s)
		}
	}
	for path, s := range k.over {
		_, isLocked := locked[path]
		if !unsaved[path] && (isLocked || answered[s.pid] || silent == nil && now.Sub(s.unsavedAt) > graceTime) {
			unmount(path, k.folder)
			s.uncover()
			k.retire(s)
		}
	}
	for _, f := range locked {
		k.lock(f)
	}
	for path := range k.locked {
		if _, still := locked[path]; !still && silent == nil {
			k.unlock(path)
		}
	}
	return silent
}

// fileOf returns the path of a document's file with links followed, "" if there is none.
func fileOf(d view.DocumentInfo) string {
	key, _ := paths.KeyOf(d.URI) // after an error, "" is no file either
	abs, is := key.FilePath()
	if !is {
		return ""
	}
	path, _ := filepath.EvalSymlinks(abs)
	return path
}

// cover mounts a new shadow over the file of a document. It returns nil if it cannot: a file that is not UTF-8 text on
// disk stays uncovered.
func (k *keeper) cover(editor agent.Editor, pid int, uri, path string) *shadow {
	s := &shadow{path: path, uri: uri, events: k.files, editor: editor, pid: pid}
	doc, err := agent.Document(k.ctx, editor, "", view.DocumentArgs{URI: uri}) // before the file is read: the server says whether it may be
	if err != nil {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	var before version
	if old := k.over[path]; old != nil {
		s.form, before = old.form, old.version
	} else {
		unmount(path, k.folder) // a shadow mounted under another name may be left there
		disk, unread := os.ReadFile(path)
		if unread != nil || !isText(string(disk)) {
			return nil
		}
		file := version{text: doc.Text}.inForm(string(disk))
		s.form, before = formOf(string(disk), doc.Text), version{file, text.New(file).Hash()}
	}
	s.file = filepath.Join(k.folder, rand.Text())
	err = s.create(doc, before, info.Mode())
	if err == nil {
		k.unlock(path)
		err = s.mount()
	}
	if err != nil {
		_ = os.Remove(s.file) // it covers nothing
		return nil
	}
	s.shownRev = s.rev
	k.over[path], k.all[s.file] = s, s
	return s
}

// retire gives up a shadow that no longer covers its file. If a process still has the shadow open, what it writes
// goes to the editor as well.
func (k *keeper) retire(s *shadow) {
	if k.over[s.path] == s {
		delete(k.over, s.path)
	}
	s.retired, s.due = true, time.Now().Add(quiet)
}

// start syncs a shadow in another goroutine, or once more after the sync in progress.
func (k *keeper) start(s *shadow) {
	s.due = time.Time{}
	if s.busy {
		s.again = true
		return
	}
	s.busy, s.again = true, false
	stale, retired := s.wantedRev != s.shownRev, s.retired
	go func() {
		err := s.sync(k.ctx, stale, retired)
		k.done <- func() { k.synced(s, retired, err) }
	}()
}

// synced handles the error of a sync, or its success. retired: the shadow was retired when the sync began.
func (k *keeper) synced(s *shadow, retired bool, err error) {
	now := time.Now()
	s.busy = false
	var refused *refusedError
	switch {
	case errors.As(err, &refused):
		k.tell(s, refused)
	case errors.Is(err, errHeld):
		if s.blockedSince.IsZero() {
			s.blockedSince = now
		}
		if s.due = now.Add(quiet); s.retired {
			s.due = now.Add(passTime)
		}
		// A process that keeps the file open must not keep the others from seeing the new text.
		if !s.retired && s.wantedRev != s.shownRev && now.Sub(s.blockedSince) > heldTime && k.cover(s.editor, s.pid, s.uri, s.path) != nil {
			k.retire(s)
		}
		return
	case err != nil && (!retired || errors.Is(err, errTyping)):
		s.due = now.Add(passTime)
		return
	case err != nil: // its editor is gone for good
		k.collectLast(s)
	}
	s.blockedSince, s.shownRev = time.Time{}, s.rev
	switch {
	case retired && !s.again:
		k.forget(s)
	case s.again, s.retired, s.rev == "":
		s.due = now.Add(quiet)
	}
}

// forget removes a shadow that no process has open, and that was not written since its last sync.
func (k *keeper) forget(s *shadow) {
	if !s.due.IsZero() {
		return // it was written, or must be synced for another reason
	}
	s.uncover()
	f, err := s.take(os.O_RDWR, unix.F_WRLCK)
	defer release(f)
	inUse := errors.Is(err, errHeld)
	if err == nil {
		got, err := contents(f)
		inUse = err != nil || got != s.has
	}
	if inUse || slices.ContainsFunc(s.places(), s.isAt) { // a shadow below another one is unmounted with it
		s.due = time.Now().Add(quiet)
		return
	}
	delete(k.all, s.file)
	k.files.reset(s.file)
	_ = os.Remove(s.file) // if this fails, it is removed with the folder
}

// next returns a channel that gets a value when a shadow is due, or passTime is over.
func (k *keeper) next() <-chan time.Time {
	first := time.Now().Add(passTime)
	for _, s := range k.all {
		if !s.due.IsZero() && s.due.Before(first) {
			first = s.due
		}
	}
	return time.After(time.Until(first))
}

// finish collects what the agent wrote last, and removes the shadows, so that processes which outlive the agent see
// the files on disk from then on.
func (k *keeper) finish(cancel func()) {
	late := time.AfterFunc(lastTime, cancel)
	defer late.Stop()
	k.hold(nil)
	for _, s := range k.all {
		for s.busy {
			(<-k.done)()
		}
	}
	for path := range k.over {
		unmount(path, k.folder)
	}
	for path := range k.locked {
		k.unlock(path)
	}
	for _, s := range k.all {
		s.uncover()
	}
	for _, s := range k.all {
		k.collectLast(s)
	}
	_ = unix.Unmount(k.folder, unix.MNT_DETACH) // it ends with the namespace anyway
	_ = os.Remove(k.folder)                     // in case the process that made it was killed
	k.files.close()
	k.find.Close()
}

// collectLast collects what is in a shadow, even if the editor is gone. Text that a process is still writing does not
// become an edit, since it may be half a text.
func (k *keeper) collectLast(s *shadow) {
	f, err := s.take(os.O_RDWR, unix.F_WRLCK)
	for tries := 0; errors.Is(err, errHeld) && tries < halfTries && k.ctx.Err() == nil; tries++ {
		<-time.After(quiet)
		release(f)
		f, err = s.take(os.O_RDWR, unix.F_WRLCK)
	}
	if errors.Is(err, errHeld) {
		release(f)
		f, err = s.take(os.O_RDONLY, unix.F_RDLCK)
	}
	defer release(f)
	held := errors.Is(err, errHeld)
	got, unread := contents(f)
	if unread != nil || got == s.has || err != nil && !held {
		return // there is nothing to collect
	}
	if !held {
		err = s.collect(k.ctx, got)
	}
	for errors.Is(err, errTyping) && k.ctx.Err() == nil {
		<-time.After(passTime)
		err = s.collect(k.ctx, got)
	}
	var refused *refusedError
	if err != nil && !errors.As(err, &refused) {
		if base, now := s.base(got), s.inForm(got); size(base.text, now) > 0 {
			refused = s.refused(base, now, err)
		}
		s.wrote(got)
	}
	if refused != nil {
		k.tell(s, refused)
	}
}

// tell reports a refused change to the user, in one line.
func (k *keeper) tell(s *shadow, r *refusedError) {
	k.refused = true
	where, err := keep(r, s.path)
	if err != nil {
		where = "no file: " + err.Error()
	}
	k.say("%s: %v; it is in %s", paths.OneLine(s.path, paths.MaxShownPath), r, edits.Printable(where))
}

// say tells the user something in one line.
func (k *keeper) say(format string, args ...any) {
	fmt.Fprintf(k.out, "patchls run: %s\n", edits.Fit(fmt.Sprintf(format, args...)))
}

// keep writes the refused part of a change to a new file, and returns the file's name.
func keep(r *refusedError, path string) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(home, ".local", "state", "patchls", "refused")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	name := filepath.Base(path)
	name = strings.ToValidUTF8(name[:min(len(name), 100)], "") // the cut may be within a character
	f, err := os.CreateTemp(folder, "*-"+name+".patch")        // of mode 0600
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(r.diff)
	return f.Name(), errors.Join(err, f.Close())
}

// lock makes a file, whose text in an editor the program cannot see, one that no program can write here. It tells the user
// once, also that it cannot.
func (k *keeper) lock(f agent.File) {
	var at unix.Statfs_t
	if unix.Statfs(f.Path, &at) != nil || at.Flags&unix.MS_RDONLY != 0 {
		return // the file is gone, or is locked
	}
	err := unix.Mount(f.Path, f.Path, "", unix.MS_BIND, "")
	if err == nil {
		kept := uintptr(at.Flags) & (unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC)
		if err = unix.Mount("", f.Path, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|kept, ""); err != nil {
			_ = unix.Unmount(f.Path, unix.MNT_DETACH)
		}
	}
	if k.locked[f.Path] {
		return
	}
	k.locked[f.Path] = true
	is, so := "has unsaved text in %s that is not shown to the program", ", so the program cannot write it; save it there first"
	if f.As != "" {
		is, so = "is open in %s as "+f.As, ", so the program cannot write it; save and close it there first"
	}
	if err != nil {
		so = fmt.Sprintf(". The program may write it beneath that all the same, since it cannot be made read-only here: %v", err)
	}
	k.say("%s "+is+"%s", paths.OneLine(f.Path, paths.MaxShownPath), cmp.Or(f.Editor.Live().Name, "an editor"), so)
}

// unlock ends the lock of a file, if it has one. A file that another program has put in its place has none.
func (k *keeper) unlock(path string) {
	if k.locked[path] {
		_ = unix.Unmount(path, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
		delete(k.locked, path)
	}
}
