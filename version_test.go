package patchls_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTheVersionIsInOnePlace: npm's lock file repeats the version, and the changelog must have an entry for it.
func TestTheVersionIsInOnePlace(t *testing.T) {
	type manifest struct {
		Version  string
		Packages map[string]struct{ Version string }
	}
	read := func(name string) (m manifest) {
		raw, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(raw, &m)
		}
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	want, lock := read("editors/vscode/package.json").Version, read("editors/vscode/package-lock.json")
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(want) {
		t.Fatalf("package.json says %q", want)
	}
	if lock.Version != want || lock.Packages[""].Version != want {
		t.Errorf("package-lock.json says %s and %s, and package.json %s; run npm install in editors/vscode", lock.Version, lock.Packages[""].Version, want)
	}
	changelog, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(changelog), "\n## ")
	if heading, _, _ := strings.Cut(rest, "\n"); heading != want {
		t.Errorf("the newest heading of CHANGELOG.md is %q, and package.json says %s", heading, want)
	}
}
