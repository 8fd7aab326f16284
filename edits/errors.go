package edits

import (
	"errors"
	"fmt"
)

// Error is a failure, with a sentence for a model to read and the fields that a program needs to act
// on it. All layers use it. Only the fields that apply are set.
type Error struct {
	Kind    Kind
	Message string // one sentence, names the path where there is one
	Path    string // as the command's result would show it
	Rev     string // hash of the text that the failure is about

	File       int // 1-based number of the patch's file that failed, 0 if none
	Hunk       int // 1-based number of the hunk that failed, 0 if none
	PatchLine  int // 1-based line of the patch that cannot be read, 0 if none
	Matches    []Match
	Count      int    // places at which the text occurs; Matches has the first of them
	At         string // the lines of these places in words: "lines 1 and 4"
	Candidates []Candidate
	Snippet    string // numbered lines
	Advice     string // the part of the message after the failure and the path, "" if none
	Suggestion *Suggestion
}

// Suggestion is a call that would succeed on the text as it is.
type Suggestion struct {
	Command   string         `json:"command"` // without a prefix
	Arguments map[string]any `json:"arguments"`
}

// Match is a place where a text occurs.
type Match struct {
	Line   int `json:"line"`   // from 1
	Column int `json:"column"` // from 1, in code points

	// Context is a line near this place, or one that opens the block that it is in; the other places have no such line at
	// the same distance, or opening their blocks. A quotation that reaches up to it is unique. It is nil if none was found.
	Context *ContextLine `json:"context,omitempty"`
}

// ContextLine is a line of a text, its number from 1.
type ContextLine struct {
	Line  int    `json:"line"`
	Text  string `json:"text"`
	Opens bool   `json:"opens,omitempty"` // it opens the block
}

// Candidate is a place that resembles the text that was looked for.
type Candidate struct {
	StartLine       int              `json:"start_line"` // from 1
	EndLine         int              `json:"end_line"`   // inclusive
	Similarity      float64          `json:"similarity"` // 0 to 1
	Difference      string           `json:"difference"` // what keeps it from matching: a tier's name, "case" or "text"
	Text            string           `json:"text"`
	TextLine        int              `json:"text_line,omitempty"` // the first line of Text, if that is not StartLine
	FirstDifference *FirstDifference `json:"first_difference,omitempty"`
}

// Errorf returns an error of the given kind with a formatted message.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// ErrorIn is Errorf for an error about the file at path.
func ErrorIn(kind Kind, path, format string, args ...any) *Error {
	return &Error{Kind: kind, Path: path, Message: fmt.Sprintf(format, args...)}
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Failure returns err as a command answers it. An error that is no [Error] is a fault of this program;
// after it the editor's text is not known.
func Failure(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Errorf(NotSettled, "The patch failed by a fault of this program (%v).", err)
}

// IsKind reports whether err is an [Error] of that kind.
func IsKind(err error, kind Kind) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind == kind
}

// FirstDifference is where the text that was sent and the text that was found first differ. Both excerpts make white space
// visible: ␠ is a blank, ⇥ a tab, ␍ a carriage return, ␊ a line end, ␃ the end of the text.
type FirstDifference struct {
	Line   int    `json:"line"`   // of the document, from 1
	Column int    `json:"column"` // from 1, in code points
	Sent   string `json:"sent"`
	Found  string `json:"found"`
}
