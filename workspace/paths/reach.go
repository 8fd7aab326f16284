package paths

import (
	"cmp"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/patchls/patchls/edits"
)

// Root is a workspace folder.
type Root struct {
	Path string // as the client calls it
	real string // where its links led when the client sent it
}

// Pin returns the roots of the folders that a client has sent. Each stays what it is now: if its name is made to
// lead elsewhere, the root does not follow. Folders that are not absolute are left out.
func Pin(folders ...string) []Root {
	roots := make([]Root, 0, len(folders))
	for _, path := range folders {
		if !filepath.IsAbs(path) {
			continue
		}
		path = cleanAbs(path)
		real, err := realPath(path)
		if err != nil {
			real = path
		}
		roots = append(roots, Root{path, real})
	}
	return roots
}

// below returns abs relative to the root, under either of the root's names; "." is the root itself.
func (r Root) below(abs string) (rel string, ok bool) {
	if rel, ok := Below(r.Path, abs); ok {
		return rel, true
	}
	return Below(r.real, abs)
}

// Operation is what is about to happen to a document or a file.
type Operation int

// The operations, from the one that needs least.
const (
	Access  Operation = iota // the text is read or edited, or the file is made, renamed or deleted
	Compare                  // the file of an open document is read, and no agent is told what it holds
	Merge                    // the text of the file goes into the document
	Save                     // the text of the document goes into the file
)

// Opened is what is known of where the name of an open document leads. The name stays the same, and another program may
// make it lead elsewhere at any time. It is safe for concurrent use.
type Opened struct {
	mu sync.Mutex
	// leads is where the name led when the document and the file last had a text in common: when the document was
	// opened or saved, or the file was read and had that text. It is "" if no such place is known any more.
	leads  string
	file   inode // what was there then
	byUser bool  // the user, not a command, has opened what is at leads
	left   bool  // the name has led out of the roots since
	astray bool  // the text may be from there
}

// NewOpened returns what is known of a document that the editor has just opened. ours are the documents that
// commands are making the editor open. strange: a command has, and the text may be that of another file.
func NewOpened(k Key, ours []Key, strange bool) *Opened {
	o := &Opened{leads: leadsNow(k), astray: strange}
	o.byUser = !slices.ContainsFunc(ours, func(of Key) bool { return of == k || o.leads != "" && leadsNow(of) == o.leads })
	return o
}

// leadsNow returns where the name of a document leads, "" if that cannot be found out.
func leadsNow(k Key) string {
	abs, isFile := k.FilePath()
	if real, err := realPath(abs); isFile && err == nil {
		return real
	}
	return ""
}

// Saved says that the editor has saved the document. An editor may say so late, when it has read the file anew since: if
// the text may be from outside, it still may, until it is seen in the file.
func (o *Opened) Saved(k Key) {
	leads := leadsNow(k)
	file := inodeOf(leads)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.byUser = o.byUser && leads == o.leads
	o.leads, o.file, o.left = leads, file, false
}

// Reloaded says that the text of the document may be new: the editor may have read it from the file.
func (o *Opened) Reloaded() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.astray = o.astray || o.left
}

// Seen says that the file at t was seen to have a text that the document had since it was opened or saved. now: it is the
// present text of the document. Seen returns false if the present text may still be of a file outside.
func (o *Opened) Seen(t Target, now bool) bool {
	file := inodeOf(t.real)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.astray && !now {
		return false
	}
	o.leads, o.file, o.left, o.astray = t.real, file, false, false
	return true
}

// IsStill reports whether the name of a document leads where it led when the two last had a text in common.
func (o *Opened) IsStill(k Key) bool {
	leads := leadsNow(k)
	o.mu.Lock()
	defer o.mu.Unlock()
	return leads == o.leads
}

// Why an operation may not reach an open document.
const (
	leftRoots  = "leads out of the workspace, and the user has not opened it there; ask them to close it and to open it again"
	wasOutside = "led out of the workspace for a while, and its text may be from there; ask the user to save it, or to close it and open it again"
	isAnother  = "leads to another file than the one that its text is from; ask the user to save it"
	hasNames   = "has another name on disk, and may be another file than before"
	isLost     = "is in a folder that cannot be found; ask the user to save it"
)

// may returns why op may not reach the document, whose name leads to dest now; "" if it may. dest is "" if that cannot
// be found out. What is protected counts as outside here, also if the user has opened it.
func (o *Opened) may(op Operation, dest string, p Policy) (kind edits.Kind, why string) {
	var file inode
	if op == Merge {
		file = inodeOf(dest)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	stray := o.astray || o.leads != "" && !p.allows(o.leads) && !(o.byUser && !ofProcess(o.leads) && p.protects(p.lookFrom(o.leads).names(o.leads)...) == "")
	known := samePath(dest, o.leads)
	away := dest != "" && !p.allows(dest) && (stray || !known)
	if dest != "" && !known {
		o.leads, o.left, o.astray = "", o.left || away, stray
	}
	switch {
	case away:
		return edits.OutsideWorkspace, leftRoots
	case stray && op != Compare:
		return edits.OutsideWorkspace, wasOutside
	case op <= Compare, dest == "":
	case !known:
		return edits.Stale, isAnother
	case op == Merge && file.names > 1 && (file.device != o.file.device || file.id != o.file.id || file.names > o.file.names):
		return edits.Stale, hasNames
	}
	return "", ""
}

// Reach decides whether op may reach a document or a file now, and returns where its name leads now. It is asked right
// before each effect, since another program may have put a link there since t was resolved. was is nil unless the
// editor has the document open.
//
// A file must be in a root. If the document is open and nothing is found out about its file, the text can be read and
// edited, and saved if the folder is in a root. The document may lead outside only to where the user has opened it.
// Errors are *[edits.Error] of kind outside_workspace, protected, read_only, or stale if the file is another than the
// one that the text is from.
func (p Policy) Reach(t Target, was *Opened, op Operation) (Target, error) {
	if t.Abs == "" {
		of, err := p.checkOpaque(t.Key)
		t.Guarded = of.Guarded
		return t, err
	}
	dest, err := realPath(t.Abs)
	return p.reach(t, t.Path, dest, err, was, op)
}

// reach is [Policy.Reach] of a target that the command called given. dest is where its name leads, or where following
// it has failed with err.
func (p Policy) reach(t Target, given, dest string, err error, was *Opened, op Operation) (Target, error) {
	names := []string{t.Abs} // by which the file may be known
	l := &look{}
	if t.real = ""; err == nil {
		t.real = dest
		l = p.lookFrom(dest)
		names = append(names, l.names(dest)...)
	}
	var kind edits.Kind
	var why string
	if was != nil { // also if the file is protected, so that its text is known to be from there
		kind, why = was.may(op, t.real, p)
	}
	if hit := p.protects(names...); hit != "" {
		return Target{}, protected(given, hit)
	}
	for _, name := range names {
		t.Guarded = cmp.Or(t.Guarded, guarded(name, p.Roots))
	}
	if l.steps > maxLook {
		t.Guarded = cmp.Or(t.Guarded, unsure)
	}
	switch {
	case was == nil && err != nil && p.inside(dest), was != nil && err != nil && (op == Compare || op == Merge):
		return Target{}, ioError(given, err)
	case was == nil && (err != nil || !p.inside(dest)): // outside of the roots an error must not tell what there is
		return Target{}, p.outside(given, t.Abs)
	case why != "":
		return Target{}, fail(kind, given, "%s %s", edits.Printable(given), why)
	case was != nil:
		if up, err := realPath(filepath.Dir(t.Abs)); op == Save && t.real == "" && (err != nil || !p.inside(up)) {
			return Target{}, fail(edits.OutsideWorkspace, given, "%s %s", edits.Printable(given), isLost)
		}
	}
	if as := p.openAs(t.Key); as != "" && op != Compare {
		return Target{}, fail(edits.Unsupported, given, "%s is open in the editor as %s, so its text there is not known, and nothing was done; "+
			"use the editor's own tools for it, or ask the user to save and close it", edits.Printable(given), edits.Printable(as))
	}
	if runtime.GOOS == "windows" && isShortened(t.Abs) {
		return Target{}, fail(edits.InvalidParams, given, "%s has a name that ends with a dot or a blank, which Windows leaves out; give the name without", edits.Printable(given))
	}
	return t, nil
}

// Leads returns where the name of a target led when Resolve or Reach looked; "" if that is not known.
func (t Target) Leads() string { return t.real }

// Folder returns where the folder of a target leads now; "" if that is not known, or if the target is no file.
func (t Target) Folder() string {
	if t.Abs == "" {
		return ""
	}
	return leadsNow(FileKey(filepath.Dir(t.Abs)))
}

// IsAt reports whether two looks at a target have found that its name leads to the same place.
func (t Target) IsAt(place Target) bool { return samePath(t.real, place.real) }

// openAs returns as what the editor has a file open, "" if as text or not at all.
func (p Policy) openAs(k Key) string {
	keys := slices.Collect(maps.Keys(p.NotText))
	if i := Find(k, keys); i >= 0 {
		return p.NotText[keys[i]]
	}
	return ""
}

// inside reports whether a place, whose links are followed, is in a root. All places are if the policy allows that.
func (p Policy) inside(place string) bool {
	in := func(r Root) bool { _, ok := Below(r.real, place); return ok }
	return !ofProcess(place) && (p.AllowOutside || slices.ContainsFunc(p.Roots, in))
}

// allows reports whether a place is inside and not protected.
func (p Policy) allows(place string) bool {
	return p.inside(place) && p.protects(p.lookFrom(place).names(place)...) == ""
}
