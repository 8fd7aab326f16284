package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"text/template"
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
		"optionalDependencies": versions, "files": []string{"bin", "index.d.ts"}, "types": "index.d.ts",
	}, map[string]string{
		"bin/patchls.js": "internal/packages/npm/patchls.js", "README.md": "internal/packages/npm/README.md", "index.d.ts": "internal/packages/npm/index.d.ts",
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
		if err := copyFile(ctx, filepath.Join(folder, to), from); err != nil {
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

// neovim writes the plugin as the content of a separate repository, since plugin managers cannot install
// from a folder of a repository, and as an archive.
func (r *release) neovim(ctx context.Context) error {
	folder := filepath.Join(dist, "patchls.nvim")
	for to, from := range map[string]string{"LICENSE": "LICENSE", "README.md": "internal/packages/nvim/README.md"} {
		if err := copyFile(ctx, filepath.Join(folder, to), from); err != nil {
			return err
		}
	}
	unpack := "git archive HEAD editors/nvim | tar -x --strip-components=2 --exclude='*.go' -C " + folder
	if err := command(ctx, "", nil, "sh", "-c", unpack); err != nil {
		return err
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
			err = write(filepath.Join(folder, to), text)
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
func (r *release) materials(ctx context.Context) error {
	for _, p := range r.programs {
		out := filepath.Join(dist, fmt.Sprintf("patchls_%s_%s.cdx.json", p.OS, p.Arch))
		if err := command(ctx, "", nil, "go", "tool", "-modfile=.ci/materials.mod", "cyclonedx-gomod", "bin", "-json", "-std", "-noserial", "-notimestamp",
			"-version", "v"+r.version, "-output", out, p.File); err != nil {
			return err
		}
	}
	return nil
}

// checksums writes those of all files that a release on GitHub has.
func checksums(ctx context.Context) error {
	sums, err := output(ctx, "sh", "-c", "cd "+dist+" && find . -maxdepth 1 -type f -printf '%f\\n' | sort | xargs sha256sum && cd npm && sha256sum *")
	if err != nil {
		return err
	}
	return write(filepath.Join(dist, "checksums.txt"), []byte(sums+"\n"))
}
