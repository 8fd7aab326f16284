// Package shadow runs an agent that sees unsaved text in place of the files: what `patchls run` does.
//
// An agent with tools of its own reads and writes files, and so do its shell, its compilers and its tests. Here
// they run in a mount namespace of their own, in which each file that an editor has open with unsaved text is
// covered by a shadow: a file with the text as the editor would save it. Programs outside of the namespace see the
// files on disk, which do not change.
//
//	patchls run            waits, and forwards signals (start.go)
//	  the keeper           the same executable, in the namespace (keeper.go)
//	    the agent          without capabilities, so that it cannot unmount
//
// To the editors the keeper is an agent. It asks which documents are unsaved (list), and writes their text (document)
// into the shadows whenever an editor reports changes. What the agent writes into a shadow is sent (write) with the rev of
// the text that the agent has read there, and the server merges it with what has changed since. So nothing here decides where
// an edit goes, which paths may be touched, or what is protected.
//
// While the keeper reads or writes a shadow, no other process has it open: the keeper takes a write lease on it
// (fcntl, F_SETLEASE), and a program that opens the file waits until the lease ends. So an agent never reads a mixture
// of two texts, and after it has written, it reads the result of its edit.
package shadow

// KeeperFlag is the flag with which `patchls run` starts itself as the keeper. Its value is the keeper's folder.
const KeeperFlag = "keeper"
