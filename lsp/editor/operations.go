package editor

// What an editor is asked to do with a file, in the words of results.
const (
	Update = "update"
	Create = "create"
	Delete = "delete"
	Rename = "rename"
)
