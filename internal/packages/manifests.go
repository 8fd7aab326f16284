package main

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mcpName is what patchls is called in the MCP registry.
const mcpName = "io.github.patchls/patchls"

// manifests gathers the manifests that goreleaser made, and writes those of other package managers.
func (r *release) manifests(ctx context.Context) error {
	folder := filepath.Join(dist, "manifests")
	made := filepath.Join(dist, "goreleaser")
	for to, from := range map[string]string{"homebrew": "homebrew/Casks", "scoop": "scoop", "winget": "winget/manifests"} {
		if err := os.CopyFS(filepath.Join(folder, to), os.DirFS(filepath.Join(made, from))); err != nil {
			return err
		}
	}
	if err := write(filepath.Join(folder, "mason", "package.yaml"), []byte(r.mason()), 0o644); err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(folder, "server.json"), map[string]any{
		"$schema":     "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":        mcpName,
		"title":       "patchls",
		"description": description,
		"repository":  map[string]string{"url": homepage, "source": "github"},
		"version":     r.version,
		"packages": []any{map[string]any{
			"registryType": "npm", "identifier": "patchls", "version": r.version, "runtimeHint": "npx",
			"transport":        map[string]string{"type": "stdio"},
			"packageArguments": []any{map[string]string{"type": "positional", "value": "mcp"}},
		}},
	}); err != nil {
		return err
	}
	return archive(ctx, "manifests")
}

// mason is the entry of the registry from which mason.nvim installs programs.
func (r *release) mason() string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nname: patchls\ndescription: %s\nhomepage: %s\nlicenses:\n  - Apache-2.0\nlanguages: []\ncategories:\n  - LSP\n\n", description, homepage)
	fmt.Fprintf(&b, "source:\n  id: pkg:github/patchls/patchls@v%s\n  asset:\n", r.version)
	for _, p := range r.programs {
		target, kind := strings.ReplaceAll(p.node(), "-", "_"), "tar.gz"
		if p.OS == "windows" {
			target, kind = strings.Replace(target, "win32", "win", 1), "zip"
		}
		fmt.Fprintf(&b, "    - target: %s\n      file: patchls_%s_%s.%s\n      bin: %s\n", target, p.OS, p.Arch, kind, filepath.Base(p.File))
	}
	b.WriteString("\nbin:\n  patchls: \"{{source.asset.bin}}\"\n")
	return b.String()
}

// materials writes for each program what it is made of, as CycloneDX has it.
func (r *release) materials(context.Context) error {
	for _, p := range r.programs {
		info, err := buildinfo.ReadFile(p.File)
		if err != nil {
			return err
		}
		components := []any{component("library", "std", strings.TrimPrefix(info.GoVersion, "go"))}
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			components = append(components, component("library", m.Path, m.Version))
		}
		if err := writeJSON(filepath.Join(dist, fmt.Sprintf("patchls_%s_%s.cdx.json", p.OS, p.Arch)), map[string]any{
			"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
			"metadata":   map[string]any{"component": component("application", info.Main.Path, "v"+r.version)},
			"components": components,
		}); err != nil {
			return err
		}
	}
	return nil
}

func component(kind, path, version string) map[string]string {
	id := "pkg:golang/" + path + "@" + version
	return map[string]string{"type": kind, "name": path, "version": version, "purl": id, "bom-ref": id}
}

// checksums writes those of all files that a release on GitHub has.
func checksums(context.Context) error {
	var b strings.Builder
	for _, folder := range []string{dist, filepath.Join(dist, "npm")} {
		files, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		for _, f := range files {
			if f.IsDir() {
				continue
			}
			raw, err := os.ReadFile(filepath.Join(folder, f.Name()))
			if err != nil {
				return err
			}
			sum := sha256.Sum256(raw)
			fmt.Fprintf(&b, "%s  %s\n", hex.EncodeToString(sum[:]), f.Name())
		}
	}
	return write(filepath.Join(dist, "checksums.txt"), []byte(b.String()), 0o644)
}
