package editor

// The operations on a file that an editor is asked for, as results name them.
const (
	Update = "update"
	Create = "create"
	Delete = "delete"
	Rename = "rename"
)
