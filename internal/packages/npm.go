package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// npm writes the package patchls, and for each platform a package with its program. Of these npm installs the one for
// the user's platform.
func (r *release) npm(ctx context.Context) error {
	folder, versions := filepath.Join(dist, "npm"), map[string]string{}
	for _, p := range r.programs {
		name := "@patchls/" + p.node()
		versions[name] = r.version
		system, architecture, _ := strings.Cut(p.node(), "-")
		if err := r.pack(ctx, filepath.Join(folder, name), map[string]any{
			"name": name, "description": "patchls for " + p.node() + "; install the package patchls",
			"os": []string{system}, "cpu": []string{architecture}, "files": []string{"bin", "THIRD_PARTY.md"},
			"preferUnplugged": true, // Yarn unpacks it, since nothing starts a program in a zip
		}, map[string]string{
			"bin/" + filepath.Base(p.File): p.File, "THIRD_PARTY.md": "THIRD_PARTY.md",
		}); err != nil {
			return err
		}
	}
	return r.pack(ctx, filepath.Join(folder, "patchls"), map[string]any{
		"name": "patchls", "mcpName": mcpName, // by which the MCP registry knows that the package is ours
		"bin": map[string]string{"patchls": "bin/patchls.js"}, "engines": map[string]string{"node": ">=18"},
		"optionalDependencies": versions, "files": []string{"bin"},
	}, map[string]string{
		"bin/patchls.js": "internal/packages/npm/patchls.js", "README.md": "internal/packages/npm/README.md",
	})
}

// pack makes a package of files in a folder, and removes the folder. own are the members of package.json that differ
// from those of the other packages.
func (r *release) pack(ctx context.Context, folder string, own map[string]any, files map[string]string) error {
	manifest := map[string]any{
		"version": r.version, "description": description, "license": "Apache-2.0", "homepage": homepage, "author": "patchls",
		"repository":    map[string]string{"type": "git", "url": "git+" + homepage + ".git"},
		"publishConfig": map[string]string{"access": "public"},
	}
	maps.Copy(manifest, own)
	files["LICENSE"] = "LICENSE"
	for to, from := range files {
		if err := copyFile(filepath.Join(folder, to), from); err != nil {
			return err
		}
	}
	if err := writeJSON(filepath.Join(folder, "package.json"), manifest); err != nil {
		return err
	}
	out := filepath.Join(dist, "npm")
	if err := command(ctx, "", nil, "npm", "pack", "--silent", "--pack-destination", out, "./"+folder); err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	_ = os.Remove(filepath.Join(out, "@patchls")) // goes with the last of them
	return nil
}
