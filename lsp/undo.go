package lsp

import (
	"context"
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

type undoArgs struct {
	EditID string `json:"edit_id,omitempty" jsonschema:"the edit to take back, as its result called it"`
	Path   string `json:"path,omitempty" jsonschema:"take back the newest edit of this file; without edit_id and path the newest of all"`
	commands.EditOptions
}

// undo takes an edit back in all of its texts, or in none.
func (s *caller) undo(ctx context.Context, arrival *workspace.Turn, name string, args undoArgs) (*Result, error) {
	return s.takeBack(ctx, arrival, takingBack{
		command: name, EditOptions: args.EditOptions,
		texts: s.undoTexts(args.EditID, args.Path),
		parts: func() ([]part, error) {
			e, err := s.edited(args)
			if err != nil {
				return nil, err
			}
			return partsOf(e), nil
		},
		words: undoMessage,
	})
}

// undoTexts takes turns behind all that an undo has to wait for: the edits of the text, or of
// all texts. An unknown id cannot be that of an edit under way, since ids are returned when an
// edit is complete, so no turn is taken for it.
func (s *caller) undoTexts(id, path string) func(*edits.Work) *workspace.Turns {
	return func(work *edits.Work) *workspace.Turns {
		switch {
		case id != "":
			var texts []paths.Key
			if e := s.made.Find(id, ""); e != nil {
				texts = e.Texts()
			}
			return s.textQueues.Take(texts...)
		case path != "":
			return s.texts(path)(work)
		}
		return s.textQueues.TakeAll()
	}
}

// edited finds the edit that is to be taken back.
func (s *caller) edited(args undoArgs) (*review.Edit, error) {
	var identity paths.Key
	if args.Path != "" {
		place, err := s.workspace().Resolve(args.Path)
		if err != nil {
			return nil, err
		}
		identity = place.Identity()
	}
	e := s.made.Find(args.EditID, identity)
	if e == nil {
		return nil, s.nothingToUndo(args.EditID, args.Path)
	}
	return e, nil
}

// nothingToUndo is the error for an edit that there is not, or no more.
func (s *caller) nothingToUndo(id, path string) error {
	what := "There is no edit of an agent that can be taken back"
	switch {
	case id != "" && path != "":
		what = fmt.Sprintf("There is no edit %s of %s that can be taken back", id, path)
	case id != "":
		what = fmt.Sprintf("There is no edit %s that can be taken back", id)
	case path != "":
		what = fmt.Sprintf("There is no edit of %s that can be taken back", path)
	}
	var ids []string
	for _, e := range slices.Backward(s.made.List()) {
		ids = append(ids, e.ID)
	}
	if len(ids) > 0 {
		what += "; there are " + edits.Listed(ids)
	}
	return &edits.Error{Kind: commands.NothingToUndo, Path: path, Message: what + "."}
}

// undoMessage words an undo.
func undoMessage(r *Result) string {
	return fmt.Sprintf("Undid edit %s in %s.", r.EditID, edits.Listed(r.paths()))
}

// paths returns the files of a result, each once.
func (r *Result) paths() []string {
	var names []string
	for _, f := range r.Files {
		if !slices.Contains(names, f.Path) {
			names = append(names, f.Path)
		}
	}
	return names
}
