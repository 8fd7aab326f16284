package main

import (
	"context"
	"path/filepath"
	"strings"
)

// neovim writes the plugin as the content of a separate repository, since plugin managers cannot install
// from a folder of a repository, and as an archive.
func (r *release) neovim(ctx context.Context) error {
	const source = "editors/nvim"
	folder := filepath.Join(dist, "patchls.nvim")
	listed, err := output(ctx, "git", "ls-files", source)
	if err != nil {
		return err
	}
	for name := range strings.FieldsSeq(listed) {
		if strings.HasSuffix(name, ".go") {
			continue
		}
		to, err := filepath.Rel(source, name)
		if err != nil {
			return err
		}
		if err := copyFile(filepath.Join(folder, to), name); err != nil {
			return err
		}
	}
	for to, from := range map[string]string{"LICENSE": "LICENSE", "README.md": "internal/packages/nvim/README.md"} {
		if err := copyFile(filepath.Join(folder, to), from); err != nil {
			return err
		}
	}
	return archive(ctx, "patchls.nvim")
}

// archive packs a folder of dist/.
func archive(ctx context.Context, folder string) error {
	when, err := output(ctx, "git", "log", "-1", "--format=@%ct")
	if err != nil {
		return err
	}
	// The archive of a commit is reproducible.
	return command(ctx, dist, nil, "tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime="+when, "-czf", folder+".tar.gz", folder)
}
