// Package shadow runs an agent that sees unsaved text in place of the files: what `patchls run` does.
//
// An agent with tools of its own reads and writes files, and so do its shell, its compilers and its tests. Here
// they run in a mount namespace of their own, in which each file that an editor has open with unsaved text is
// covered by a shadow: a file with the text as the editor would save it. Programs outside of the namespace see the
// files themselves, which stay as they are.
//
//	patchls run            waits, and hands signals on (start.go)
//	  the keeper           the program again, in the namespace (keeper.go)
//	    the agent          without capabilities, so that it cannot unmount
//
// The keeper is an agent as the editors see it. It asks what is open and unsaved (list), and writes the text
// (document) into the shadows when the editor tells of changes. What the agent has written into a shadow becomes
// an edit of the text that the shadow had (package rewrite). So nothing here decides where an edit goes, which paths
// may be touched, or what is protected.
//
// While a shadow is read and written no other process has it open: the keeper takes a write lease on it
// (fcntl, F_SETLEASE), and a program that opens the file meanwhile waits until the lease ends. So an agent reads one text
// or the next, and after it has written, the text that came of that.
package shadow

// KeeperFlag is the flag of `patchls run` by which the program is told that it is the keeper, and its folder.
const KeeperFlag = "keeper"
