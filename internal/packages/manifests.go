package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
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
	for to, from := range map[string]string{"mason/package.yaml": "mason.yaml.tmpl", "server.json": "server.json.tmpl"} {
		text, err := r.manifest(from)
		if err == nil {
			err = write(filepath.Join(folder, to), text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return archive(ctx, "manifests")
}

// templates are the manifests for the registry from which mason.nvim installs programs, and for the MCP registry.
//
//go:embed *.tmpl
var templates embed.FS

// manifest returns the manifest of this release that a template makes.
func (r *release) manifest(name string) ([]byte, error) {
	var b bytes.Buffer
	err := template.Must(template.ParseFS(templates, name)).Execute(&b, map[string]any{
		"Version": r.version, "Programs": r.programs, "Description": description, "Homepage": homepage, "MCPName": mcpName,
	})
	return b.Bytes(), err
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
