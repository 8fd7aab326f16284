//go:build unix

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

func (k *kit) vscodeDir() string { return filepath.Join(k.Cache, "vscode") }

// extension is where the extension is built: what npm puts there does not belong into
// the repository.
func (k *kit) extension() string { return filepath.Join(k.Cache, "vscode-extension") }

func installVSCode(ctx context.Context, k *kit) error {
	if err := k.need(ctx, []string{"node", "npm"}, []string{"nodejs", "npm"}); err != nil {
		return err
	}
	install := filepath.Join(k.Repo, "editors", "e2e", "vscode", "install.sh")
	if err := k.command(ctx, "sh", install, k.vscodeDir()); err != nil {
		return leftOutError{err.Error()}
	}
	return k.buildExtension(ctx)
}

// made are folders that are no sources.
var made = []string{".git", "node_modules", "out", "bin", "dist"}

// buildExtension bundles the extension, unless it was built from these sources already.
func (k *kit) buildExtension(ctx context.Context) error {
	source, target := filepath.Join(k.Repo, "editors", "vscode"), k.extension()
	files, sum, err := sources(source)
	if err != nil {
		return err
	}
	stamp := filepath.Join(target, ".built")
	if built, err := os.ReadFile(stamp); err == nil && string(built) == sum {
		return nil
	}
	if err := copyFiles(target, source, files); err != nil {
		return err
	}
	if err := k.command(ctx, filepath.Join(k.Repo, ".ci", "npm"), "--prefix", target, "ci", "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
		return err
	}
	if err := k.command(ctx, "npm", "--prefix", target, "run", "build"); err != nil {
		return err
	}
	return os.WriteFile(stamp, []byte(sum), 0o600)
}

// sources returns the files of a folder that are not built from others, and a sum of their
// contents.
func sources(folder string) (files []string, sum string, err error) {
	hash := sha256.New()
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(made, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() {
			return nil
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files = append(files, name)
		_, err = io.WriteString(hash, name+"\x00"+string(raw)+"\x00")
		return err
	})
	return files, hex.EncodeToString(hash.Sum(nil)), err
}

func copyFiles(to, from string, files []string) error {
	for _, name := range files {
		if err := copyFile(filepath.Join(to, name), filepath.Join(from, name)); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(to, from string) error {
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, raw, info.Mode().Perm())
}
