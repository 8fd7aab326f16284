package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// versionFile has the version of the next release, of all packages. It is the manifest of the
// extension, since VS Code, npm and those who build it alone read it there.
const versionFile = "editors/vscode/package.json"

// base is the version of the next release.
func base() (string, error) {
	raw, err := os.ReadFile(versionFile)
	if err != nil {
		return "", err
	}
	var is struct{ Version string }
	err = json.Unmarshal(raw, &is)
	return is.Version, err
}

// version returns the version of the tag of this commit, or one that names the commit.
func version(ctx context.Context) (version string, tagged bool, err error) {
	base, err := base()
	if err != nil {
		return "", false, err
	}
	tags, err := output(ctx, "git", "tag", "--points-at", "HEAD", "--list", "v*")
	if err != nil {
		return "", false, err
	}
	commit, err := output(ctx, "git", "rev-parse", "--short", "HEAD")
	if err != nil {
		return "", false, err
	}
	return choose(base, strings.Fields(tags), commit)
}

func choose(base string, tags []string, commit string) (version string, tagged bool, err error) {
	switch {
	case len(tags) == 0:
		return base + "-g" + commit, false, nil // with a letter, since 0123 is no part of a version
	case len(tags) > 1 || tags[0] != "v"+base:
		return "", false, fmt.Errorf("the commit has the tags %q, and %s says %s", tags, versionFile, base)
	}
	return base, true, nil
}
