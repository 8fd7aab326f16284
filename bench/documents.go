package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// corpus is Go's own source: real text in any amount.
type corpus struct{ all string }

// goSource returns size bytes of the files of Go's standard library, tests included.
// If the files do not suffice, they are repeated after a line that says so.
func goSource(size int) (corpus, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return corpus{}, err
	}
	src := filepath.Join(strings.TrimSpace(string(root)), "src")
	var b bytes.Buffer
	for again := 0; b.Len() < size; again++ {
		before := b.Len()
		fmt.Fprintf(&b, "// Pass %d.\n", again)
		err := filepath.WalkDir(src, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(name) != ".go" || b.Len() > size {
				return err
			}
			raw, err := os.ReadFile(name)
			if err == nil && utf8.Valid(raw) && !bytes.ContainsRune(raw, '\r') {
				b.Write(raw)
			}
			return err
		})
		if err != nil {
			return corpus{}, err
		}
		if b.Len() < before+1<<20 {
			return corpus{}, fmt.Errorf("%s holds no source", src)
		}
	}
	return corpus{b.String()}, nil
}

// first returns the first size bytes, up to a line end.
func (c corpus) first(size int) string {
	return c.all[:strings.LastIndexByte(c.all[:size], '\n')+1]
}

const (
	kilobyte = 1 << 10
	megabyte = 1 << 20
)

// sizeName is how a size is called: "10 KB", "1 MB".
func sizeName(size int) string {
	if size < megabyte {
		return fmt.Sprintf("%d KB", size/kilobyte)
	}
	return fmt.Sprintf("%d MB", size/megabyte)
}
