// Package setup writes what an agent program needs into the configuration of its user, and takes it
// out again. [Agents] are the programs, as data: which files, and what goes where.
//
// A file is JSON, with or without comments, or TOML. What is put in is one piece, or one for each part,
// and all else stays as it is, byte for byte. Nothing that the user has is changed: where there is
// something else already, that stays.
//
//	{                                    {
//	  "theme": "dark" // at night   ->     "mcpServers": {"patchls": {"command": "patchls", "args": ["mcp"]}},
//	}                                      "theme": "dark" // at night
//	                                     }
//
// A record in ~/.local/state/patchls/setup says what was put in. [Agent.Undo] looks for that, by its keys
// and not by its bytes, since programs write their configuration anew: a part with another value is
// the user's by now, and stays. Where the file is otherwise as it was, so it is again.
//
// What never lives here: what the user is shown and asked.
package setup
