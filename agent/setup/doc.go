// Package setup writes what an agent program needs into the configuration of its user, and takes it
// out again. [Agents] are the programs, as data: which files, and what goes where.
//
// A file is JSON, with or without comments, or TOML. Each part is put in as one piece, and all else stays as it is, byte for
// byte. Nothing that the user has is changed: if another value exists in the place of a part, it stays.
//
//	{                                    {
//	  "theme": "dark" // at night   ->     "mcpServers": {"patchls": {"command": "patchls", "args": ["mcp"]}},
//	}                                      "theme": "dark" // at night
//	                                     }
//
// A record in ~/.local/state/patchls/setup says what was put in. [Agent.Undo] finds the parts by their keys
// and not by their bytes, since programs rewrite their configuration. A part with another value belongs to
// the user, and stays. If nothing else in a file has changed, Undo makes it what it was before.
//
// What never lives here: what the user is shown and asked.
package setup
