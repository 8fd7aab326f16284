// Package schema describes the arguments of commands, each once, by the tags of a Go struct:
//
//	type args struct {
//		Path string `json:"path" jsonschema:"the file"`
//		Line int    `json:"line,omitempty" jsonschema:"from 1; 0 is none"`
//		Mode string `json:"mode,omitempty" enum:"exact,lenient" jsonschema:"how to match"`
//	}
//
// [Decode] decodes and checks what was sent, with errors that say what to send instead. [Of] returns a JSON
// schema, and [Describe] the rows of a reference page. The functions are safe for concurrent use.
package schema
