package headless

import (
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// Save writes the buffer to its file, with the byte order mark that the file
// had, and tells the server if it wants to know. A buffer that is not dirty is
// left alone. The error wraps [ErrNoFile] or [ErrBufferClosed], is a
// *[DiskChangedError] when another program changed the file, wraps
// fs.ErrPermission when the file is write-protected, [ErrLocked] when another
// program has it locked, or is the disk's. Unless it wraps [ErrNotDurable], or is
// a *[HalfSavedError], the files are as they were.
func (b *Buffer) Save() error { return b.save(false) }

// SaveForce is Save that overwrites what another program wrote and what is
// write-protected, and writes also when the buffer is not dirty.
func (b *Buffer) SaveForce() error { return b.save(true) }

func (b *Buffer) save(force bool) error {
	if b.path == "" {
		return fmt.Errorf("save %s: %w", b.uri, ErrNoFile)
	}
	if err := b.maySave(force); err != nil {
		return err
	}
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	s := b.State()
	if s.closed {
		return fmt.Errorf("save %s: %w", b.path, ErrBufferClosed)
	}
	if !force && !s.dirty() {
		return nil
	}
	old := &b.stamp
	if force {
		old = nil
	}
	return b.write(old)
}

// maySave asks whether all that save touches may be: the file, and those that go with
// the names that it had.
func (b *Buffer) maySave(force bool) error {
	allow := b.e.opts.AllowSave
	if allow == nil || !force && !b.Dirty() {
		return nil
	}
	b.e.mu.Lock()
	paths := []string{b.path}
	for _, key := range b.renamed {
		if r, ok := b.e.removals[key]; ok {
			paths = append(paths, r.path)
		}
	}
	b.e.mu.Unlock()
	for _, path := range paths {
		if err := allow(path); err != nil {
			return fmt.Errorf("save %s: %w", b.path, err)
		}
	}
	return nil
}

// Content returns what the buffer's file holds when it has that text.
func (b *Buffer) Content(t text.Text) []byte {
	out := make([]byte, 0, len(text.BOM)+t.Len())
	if b.bom {
		out = append(out, text.BOM...)
	}
	for run := range t.Runs() {
		out = append(out, run...)
	}
	return b.habits.File(out)
}

// Reload makes the text that of the disk, with one minimal change that Undo
// takes back. The error is as for [Editor.Open], or wraps [ErrNoFile] or
// [ErrBufferClosed]; then nothing changed.
func (b *Buffer) Reload() error {
	if b.path == "" {
		return fmt.Errorf("reload %s: %w", b.uri, ErrNoFile)
	}
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	if b.Closed() {
		return fmt.Errorf("reload %s: %w", b.path, ErrBufferClosed)
	}
	f, err := b.e.disk.Read(b.path)
	if err != nil {
		return err
	}
	old, now := b.Text(), b.habits.Open(f.Text, true)
	if old != now {
		start, tail := diff.CommonEnds(old, now)
		b.apply("", []edits.Edits{{{Start: start, End: len(old) - tail, New: now[start : len(now)-tail]}}})
	}
	b.habits.Reloaded()
	b.stamp, b.bom = f.Stamp, f.BOM
	b.set(func(s *State) { s.saved, s.onDisk = s.Text, true })
	return nil
}
