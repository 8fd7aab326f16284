//go:build !unix

package disk

import "io/fs"

// chownLike does nothing: the owner is the folder's business here.
func chownLike(*handle, fs.FileInfo) {}

// sameOwner reports what cannot be found out.
func sameOwner(_, _ fs.FileInfo) bool { return true }

// hasOtherNames reports what cannot be found out.
func hasOtherNames(fs.FileInfo) bool { return false }

// private reports what cannot be found out: folders of the user's profile are.
func private(fs.FileInfo) bool { return true }
