package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/patchls/patchls/workspace/paths"
)

// file is a document that somebody asks for.
type file struct {
	key  paths.Key
	real string // its path with symbolic links followed; "" if it is no local file
	info fs.FileInfo
}

// fileAt returns the file that path names, a URI or a path relative to dir.
func fileAt(dir, path string) file {
	key, err := paths.KeyOf(path)
	if err != nil { // no URI, and not absolute
		key = paths.FileKey(filepath.Join(dir, path))
	}
	return fileOf(key)
}

func fileOf(key paths.Key) file {
	f := file{key: key}
	if abs, ok := key.FilePath(); ok {
		f.real = realPath(abs)
		f.info, _ = os.Stat(f.real) // a file that is not there yet has none
	}
	return f
}

// same reports whether both are one document. On a file system that does not tell
// case apart, one file has many spellings; only the system knows that.
func (f file) same(g file) bool {
	return f.key == g.key || f.real != "" && f.real == g.real || f.info != nil && g.info != nil && os.SameFile(f.info, g.info)
}

// askOpen asks all editors at once whether they have a file open. It returns those that
// answered, in order, and closes the others.
func (f *Finder) askOpen(ctx context.Context, conns []*Conn, want file) (answered []*Conn, open []bool) {
	ctx, cancel := context.WithTimeout(ctx, f.timeout())
	defer cancel()
	has, errs := make([]bool, len(conns)), make([]error, len(conns))
	var all sync.WaitGroup
	for i, c := range conns {
		all.Go(func() {
			stop := context.AfterFunc(ctx, c.link.drop) // a question is not worth waiting for its end
			has[i], errs[i] = hasOpen(ctx, c, want)
			// When time is up the server is told to give up, and may say that it has
			// nothing; stop may still come before the drop that is due then.
			if stop(); ctx.Err() != nil {
				c.link.drop()
				errs[i] = ctx.Err()
			}
		})
	}
	all.Wait()
	for i, c := range conns {
		if errs[i] != nil {
			f.log().Warn("an editor does not say what it has open", "pid", c.live.PID, "reason", errs[i])
			_ = c.Close() // it never fails
			continue
		}
		answered, open = append(answered, c), append(open, has[i])
	}
	return answered, open
}

func hasOpen(ctx context.Context, c *Conn, want file) (bool, error) {
	answer, err := c.Execute(ctx, Call{Command: "list"})
	if err != nil {
		return false, err
	}
	var listing struct {
		Documents []struct {
			URI string `json:"uri"` // the path beside it may be relative to a root
		} `json:"documents"`
	}
	if err := json.Unmarshal(answer, &listing); err != nil {
		return false, fmt.Errorf("its list: %w", err)
	}
	for _, doc := range listing.Documents {
		// A buffer without a name is no file that somebody asks for.
		if key, err := paths.KeyOf(doc.URI); err == nil && want.same(fileOf(key)) {
			return true, nil
		}
	}
	return false, nil
}

// realPath returns the absolute form of path with symbolic links followed, as far as
// it exists.
func realPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path // there is no working directory
	}
	real, err := filepath.EvalSymlinks(abs)
	if dir := filepath.Dir(abs); errors.Is(err, fs.ErrNotExist) && dir != abs {
		return filepath.Join(realPath(dir), filepath.Base(abs))
	}
	if err != nil {
		return abs
	}
	return real
}

// depthOf returns how deep the deepest of roots is that holds dir, 0 if none does.
func depthOf(roots []string, dir string) int {
	deepest := 0
	for _, root := range roots {
		root = realPath(root)
		rel, err := filepath.Rel(root, dir)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			continue
		}
		// The top of the file system is a root as well.
		deepest = max(deepest, 1+strings.Count(strings.TrimSuffix(root, "/"), string(filepath.Separator)))
	}
	return deepest
}
