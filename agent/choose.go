package agent

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace/paths"
)

// About is what a command names. It decides in which editor the command runs.
type About struct {
	Files []string // paths or URIs, with the new names of files that are to be moved
	Git   bool     // the names may be counted from another folder than the agent's
	Edit  string   // the id of an edit that is to be undone, kept or reverted
	Edits bool     // the command edits
	Saves bool     // the command saves what this agent has edited, wherever that is
}

// AboutOf returns what a command with these arguments names.
func AboutOf(command string, arguments json.RawMessage) About {
	var a struct {
		Path   string   `json:"path,omitempty"`
		Paths  []string `json:"paths,omitempty"`
		Patch  string   `json:"patch,omitempty"`
		EditID string   `json:"edit_id,omitempty"`
	}
	schema.DecodeSome(arguments, &a) // arguments of the wrong type are refused where they are read
	about := About{Files: a.Paths, Edit: a.EditID, Edits: lsp.Edits(command), Saves: command == "save"}
	if path := strings.TrimSpace(a.Path); path != "" {
		about.Files = append([]string{path}, a.Paths...)
		return about
	}
	p, _ := patch.Parse(a.Patch) // a patch that cannot be read names no file, and is refused where it is read
	about.Git = p.Git
	for _, f := range p.Files {
		for _, name := range []string{f.Path, f.NewPath} {
			if p.Folder != "" && name != "" && !filepath.IsAbs(name) {
				name = filepath.Join(p.Folder, name)
			}
			if name != "" {
				about.Files = append(about.Files, name)
			}
		}
	}
	return about
}

// ErrSilent says that an editor runs which may have the file open, and that it does not answer. Nothing
// may be written to disk then, since that editor may have unsaved text.
var ErrSilent = errors.New("nothing was done, since it may have unsaved text")

// standing is what an editor has to do with a command.
type standing struct {
	*Conn
	docs    []view.DocumentInfo // those of the files that the command names which it has open
	open    int                 // how many of the files those are
	unsaved []string            // which of them have unsaved text
	made    bool                // it has made the edit that the command names
	depth   int                 // of its workspace folder that holds the agent's folder; 0 if there is none
}

// isMeant reports whether the editor may be the one for the command.
func (s standing) isMeant() bool { return s.depth > 0 || s.made || s.open > 0 }

// choose returns the editor for a command, and how many others it might have meant; nil if there is none. all are the
// editors that answer, the most recently active first; named, if it is not nil, is the one that the user has named, for all
// commands of an agent but those that save its edits or take them back: they go where the edits were made.
//
// The editor that has unsaved text of a file is meant, since every other one has an older text of it. It is an error
// if several have, or if one has a file open as something other than text. An editor that cannot be edited is passed over
// for an edit, unless it has such text.
func choose(all []standing, about About, named *Conn) (best *Conn, rivals int, err error) {
	var owner *standing
	for i, s := range all {
		if as := slices.IndexFunc(s.docs, func(d view.DocumentInfo) bool { return d.As != "" }); as >= 0 {
			return nil, 0, refused(edits.Unsupported, File{s.docs[as], s.Conn}.NotText())
		}
		switch {
		case len(s.unsaved) == 0:
		case owner != nil:
			return nil, 0, apart(*owner, s)
		default:
			owner = &all[i]
		}
	}
	if owner == nil && len(about.Files) == 0 && about.Edit == "" { // also if the editor has no folder of the agent
		if c, err := editedIn(all, about.Saves); c != nil || err != nil {
			return c, len(all) - 1, err
		}
	}
	meant := slices.DeleteFunc(slices.Clone(all), func(s standing) bool {
		return s.Conn != named && (!s.isMeant() || about.Edits && !s.Live().Edits && len(s.unsaved) == 0)
	})
	if len(meant) == 0 {
		return nil, 0, nil
	}
	maker := slices.IndexFunc(meant, func(s standing) bool { return s.made })
	switch {
	case owner != nil:
		return owner.Conn, len(meant) - 1, nil
	case maker >= 0:
		return meant[maker].Conn, len(meant) - 1, nil
	case named != nil:
		return named, len(meant) - 1, nil
	}
	first := slices.MaxFunc(meant, func(a, b standing) int { // the first of equal ones
		return cmp.Or(cmp.Compare(a.open, b.open), cmp.Compare(a.depth, b.depth))
	})
	return first.Conn, len(meant) - 1, nil
}

// editedIn returns the editor in which this agent made its last edit, nil if it made none. It is an error if all of its
// edits are meant, and they are in several editors.
func editedIn(all []standing, every bool) (last *Conn, err error) {
	var names []string
	for _, s := range all {
		n := s.edited.Load()
		if n == 0 {
			continue
		}
		names = append(names, s.Live().Title())
		if last == nil || n > last.edited.Load() {
			last = s.Conn
		}
	}
	if every && len(names) > 1 {
		return nil, refused(edits.Rejected, "this agent has edited in "+strings.Join(names, " and in ")+". Name the files in paths, those of one editor in each call.")
	}
	return last, nil
}

// apart returns the error of a command about files with unsaved text in two editors.
func apart(a, b standing) error {
	if i := slices.IndexFunc(a.unsaved, func(f string) bool { return slices.Contains(b.unsaved, f) }); i >= 0 {
		return refused(edits.Rejected, fmt.Sprintf("%s has unsaved text in %s and in %s. The user has to save or close it in one of them.",
			shownPath(a.unsaved[i]), a.Live().Title(), b.Live().Title()))
	}
	return refused(edits.Rejected, fmt.Sprintf("%s has unsaved text in %s, and %s in %s. Send one call for each of them.",
		shownPath(a.unsaved[0]), a.Live().Title(), shownPath(b.unsaved[0]), b.Live().Title()))
}

func shownPath(path string) string { return paths.OneLine(path, paths.MaxShownPath) }

// NotDone begins the message of a command that is refused here.
const NotDone = "Nothing was done: "

func refused(kind edits.Kind, why string) error {
	return transaction.CommandError(&edits.Error{Kind: kind, Message: NotDone + why}, nil)
}

// Title returns the name of the editor and the process id of its server, for a sentence.
func (e Entry) Title() string {
	return fmt.Sprintf("%s (pid %d)", cmp.Or(paths.OneLine(strings.TrimSpace(e.Name), paths.MaxShownPath), "another editor"), e.PID)
}

// silent is an editor that runs and does not answer.
type silent struct {
	Entry
	why error
}

func (s silent) is(e Entry) bool { return s.Socket == e.Socket && s.Started.Equal(e.Started) }

// check returns an error if one of the editors may have a file open. Any may have it if a file is to be written, on disk
// or in another editor; to be read, those that have a workspace folder that holds it, or, without files, the folder dir.
func check(all []silent, writes bool, dir string, files []string) error {
	places := []string{dir}
	for i, file := range files {
		places = append(places[:i], string(fileAt(dir, file)))
	}
	for _, s := range all {
		if writes || s.Roots == nil || slices.ContainsFunc(places, func(place string) bool {
			if paths.OnOtherMachine(place, s.Roots) {
				return false
			}
			_, depth := Live{Entry: s.Entry}.rootOf(string(paths.Target{Key: paths.Key(place)}.Identity()))
			return depth > 0
		}) {
			return fmt.Errorf("%s does not answer: %w; %w. Try again later; or restart it or its language server, or end the process %d",
				s.Title(), s.why, ErrSilent, s.PID)
		}
	}
	return nil
}

// distrusted returns the editors that may run, and whose discovery files, or the folder of all, cannot be trusted or read.
func (f *Finder) distrusted(in Folder) []silent {
	sys := f.sys.or()
	if in.Fault != nil {
		in.Files = sys.inspect(in.Path)
	}
	return lists.FilterMap(in.Files, func(file DiscoveryFile) (silent, bool) {
		pid, _ := strconv.Atoi(strings.TrimSuffix(filepath.Base(file.Path), ".json"))
		_, _, alive := sys.process(pid)
		why := fmt.Errorf("it is not trusted: %w (patchls doctor says what to do)", cmp.Or(in.Fault, file.Fault))
		return silent{Entry{PID: pid}, why}, alive && file.Entry.PID == 0 && !f.isOwn(file)
	})
}

// stand returns what an editor has to do with the command. dir has its symbolic links resolved.
func stand(l Listed, dir string, about About) standing {
	s := standing{Conn: l.Conn}
	_, s.depth = l.Live().rootOf(dir)
	s.made = about.Edit != "" && slices.ContainsFunc(l.Edits, func(e view.EditInfo) bool { return e.EditID == about.Edit })
	for _, file := range about.Files {
		docs := opened(l.Listing, dir, file)
		abs, _ := fileAt(dir, file).FilePath()
		roots := l.Live().Roots
		exists := func() bool { _, err := os.Lstat(abs); return err == nil }
		if len(docs) == 0 && !paths.OnOtherMachine(abs, roots) && (about.Git || !exists()) { // the server looks in its folders next
			for _, root := range roots {
				if docs = opened(l.Listing, root, file); len(docs) > 0 {
					break
				}
			}
		}
		if s.docs = append(s.docs, docs...); len(docs) > 0 {
			s.open++
		}
		if slices.ContainsFunc(docs, func(d view.DocumentInfo) bool { return d.Unsaved }) {
			s.unsaved = append(s.unsaved, file)
		}
	}
	return s
}
