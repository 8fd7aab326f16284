//go:build !unix

package headless

import (
	"io/fs"
	"os"
)

// chownLike does nothing: the owner is the folder's business here.
func chownLike(*os.File, fs.FileInfo) {}

// sameOwner reports what cannot be found out.
func sameOwner(_, _ fs.FileInfo) bool { return true }

// hasOtherNames reports what cannot be found out.
func hasOtherNames(fs.FileInfo) bool { return false }
