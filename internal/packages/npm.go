package main

import (
	"context"
	_ "embed"
	"os"
	"path/filepath"
	"strings"
)

//go:embed npm/patchls.js
var wrapper []byte

//go:embed npm/README.md
var npmReadme []byte

// manifest is a package.json.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	Homepage    string            `json:"homepage"`
	Repository  map[string]string `json:"repository"`
	MCPName     string            `json:"mcpName,omitempty"` // by which the MCP registry knows that the package is ours
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Bin         map[string]string `json:"bin,omitempty"`
	Engines     map[string]string `json:"engines,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
	Files       []string          `json:"files"`
	Preferred   bool              `json:"preferUnplugged,omitempty"` // Yarn unpacks it, since nothing starts a program in a zip
	Publish     map[string]string `json:"publishConfig"`
	Author      string            `json:"author"`
}

func (r *release) manifest(name string) manifest {
	return manifest{
		Name: name, Version: r.version, Description: description, License: "Apache-2.0", Homepage: homepage,
		Repository: map[string]string{"type": "git", "url": "git+" + homepage + ".git"},
		Publish:    map[string]string{"access": "public"}, Author: "patchls",
	}
}

// npm writes the package patchls, and for each platform a package with its program. Of these npm installs the one for
// the user's platform.
func (r *release) npm(ctx context.Context) error {
	folder := filepath.Join(dist, "npm")
	main := r.manifest("patchls")
	main.MCPName, main.Bin = mcpName, map[string]string{"patchls": "bin/patchls.js"}
	main.Engines, main.Optional, main.Files = map[string]string{"node": ">=18"}, map[string]string{}, []string{"bin"}
	for _, p := range r.programs {
		name := "@patchls/" + p.node()
		main.Optional[name] = r.version
		own := r.manifest(name)
		system, architecture, _ := strings.Cut(p.node(), "-")
		own.OS, own.CPU, own.Files, own.Preferred = []string{system}, []string{architecture}, []string{"bin", "THIRD_PARTY.md"}, true
		own.Description = "patchls for " + p.node() + "; install the package patchls"
		if err := r.pack(ctx, filepath.Join(folder, name), own, map[string]string{
			"bin/" + filepath.Base(p.File): p.File, "LICENSE": "LICENSE", "THIRD_PARTY.md": "THIRD_PARTY.md",
		}); err != nil {
			return err
		}
	}
	source := filepath.Join(folder, "patchls")
	if err := write(filepath.Join(source, "bin", "patchls.js"), wrapper, 0o755); err != nil {
		return err
	}
	if err := write(filepath.Join(source, "README.md"), npmReadme, 0o644); err != nil {
		return err
	}
	return r.pack(ctx, source, main, map[string]string{"LICENSE": "LICENSE"})
}

// pack makes the package whose files are in a folder, and removes the folder.
func (r *release) pack(ctx context.Context, folder string, m manifest, files map[string]string) error {
	for to, from := range files {
		if err := copyFile(filepath.Join(folder, to), from); err != nil {
			return err
		}
	}
	if err := writeJSON(filepath.Join(folder, "package.json"), m); err != nil {
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
