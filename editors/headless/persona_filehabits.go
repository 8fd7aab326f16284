package headless

// FileHabits say what an editor does with files that an edit names.
type FileHabits struct {
	// Closed is how a file is edited that is not open.
	Closed Closed
	// OpensTwice: such a file is opened by two didOpens, the second without a
	// languageId.
	OpensTwice bool
	// Asks: the person is asked before such a file is edited.
	Asks bool
	// MissingMade: an edit of a file that does not exist makes it.
	// MissingText is what its buffer holds before the edit.
	MissingMade bool
	MissingText string
	// Exists is what CreateFile does with a file that exists. AtOnce: files are made,
	// deleted and renamed on disk at once. Refused: file operations are errors.
	Exists  Exists
	AtOnce  bool
	Refused bool
	// DeletesSaved: the deletion of a file that is not on disk is an error.
	DeletesSaved bool
	// JunkUntitled: an edit of an untitled document that is not open lands in a
	// buffer of which nobody is told; the answer is yes.
	JunkUntitled bool
	// WritesHidden: a buffer without unsaved changes that is not the current one
	// is written when it is edited. The current one was opened or typed in last.
	WritesHidden bool
}

// Closed is how an editor edits a file that is not open.
type Closed int

const (
	// ClosedOpened is didOpen with the text of the disk, then didChange.
	ClosedOpened Closed = iota
	// ClosedOpenedLate is a didOpen after the answer, which has the edit in it.
	ClosedOpenedLate
	// ClosedUntold edits a buffer of which the server never hears.
	ClosedUntold
	// ClosedWritten writes the file, and opens it with what was written.
	ClosedWritten
)

// Exists is what CreateFile does with a file that exists, if options say nothing.
type Exists int

const (
	// ExistsRefused answers no.
	ExistsRefused Exists = iota
	// ExistsTruncated makes the file empty, on disk too.
	ExistsTruncated
)

// TextHabits say what an editor does to text.
type TextHabits struct {
	Ends  LineEnds
	Final FinalNewline
}

// LineEnds is how an editor keeps line ends.
type LineEnds int

const (
	// EndsKept leaves every line what it has, and takes new text as it is.
	EndsKept LineEnds = iota
	// EndsUniform gives a document one kind, the more frequent one when opened, and
	// new text the same (VS Code).
	EndsUniform
	// EndsOfFormat takes a file for CRLF if all of its lines are, else for LF, where
	// "\r" is a character; new text gets that kind (Neovim).
	EndsOfFormat
	// EndsDecoded shows a file whose lines are all CRLF as LF, in the buffer and on
	// the wire, and saves it as CRLF; new text is taken as it is (Emacs).
	EndsDecoded
	// EndsStripped is EndsDecoded without any "\r" in the buffer, in new text
	// neither (Sublime).
	EndsStripped
)

// FinalNewline is how an editor treats the newline at the end of a text.
type FinalNewline int

const (
	// FinalKept treats it as any other.
	FinalKept FinalNewline = iota
	// FinalAdded adds it when saving, with a didChange.
	FinalAdded
	// FinalOfBuffer takes it for the buffer's and not for the last line's; if it is
	// missing, saving writes one without a didChange; an empty file's text is "\n".
	FinalOfBuffer
)

// Refresh is how an editor answers workspace/diagnostic/refresh. It pulls only
// if the server has a diagnosticProvider.
type Refresh int

const (
	// RefreshAnswered pulls nothing.
	RefreshAnswered Refresh = iota
	// RefreshThenPull answers at once, and pulls then.
	RefreshThenPull
	// RefreshPullFirst pulls for all documents, then answers, without waiting for
	// their answers.
	RefreshPullFirst
	// RefreshPullWait answers when the pulls are answered.
	RefreshPullWait
)
