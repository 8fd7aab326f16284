package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	for _, tt := range []struct {
		name, base string
		tags       []string
		want       string
		tagged     bool
		err        string
	}{
		{"no tag", "0.1.0", nil, "0.1.0-g0123456", false, ""},
		{"the tag of this version", "0.1.0", []string{"v0.1.0"}, "0.1.0", true, ""},
		{"a tag of another", "0.1.0", []string{"v0.2.0"}, "", false, "package.json says 0.1.0"},
		{"two", "0.1.0", []string{"v0.1.0", "v0.1.1"}, "", false, "has the tags"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, tagged, err := choose(tt.base, tt.tags, "0123456")
			if got != tt.want || tagged != tt.tagged || (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %q, %v, %v; want %q, %v, %q", got, tagged, err, tt.want, tt.tagged, tt.err)
			}
		})
	}
}

// TestTheVersionIsInOnePlace: npm's lock file repeats the version, and the changelog must have an entry for it.
func TestTheVersionIsInOnePlace(t *testing.T) {
	t.Chdir("../..")
	want, err := base()
	if err != nil || !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(want) {
		t.Fatalf("%s says %q (%v)", versionFile, want, err)
	}
	raw, err := os.ReadFile("editors/vscode/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Version  string
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal(raw, &lock); err != nil {
		t.Fatal(err)
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

// platforms are those of a release.
var platforms = []program{
	{"darwin", "amd64", "p/patchls"}, {"darwin", "arm64", "p/patchls"}, {"linux", "amd64", "p/patchls"},
	{"linux", "arm64", "p/patchls"}, {"windows", "amd64", "p/patchls.exe"}, {"windows", "arm64", "p/patchls.exe"},
}

func TestNames(t *testing.T) {
	var names []string
	for _, p := range platforms {
		names = append(names, p.node())
	}
	if got, want := strings.Join(names, " "), "darwin-x64 darwin-arm64 linux-x64 linux-arm64 win32-x64 win32-arm64"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	made, err := (&release{version: "1.2.3", programs: platforms}).manifest("mason.yaml.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	entry := string(made)
	for _, want := range []string{
		"id: pkg:github/patchls/patchls@v1.2.3\n",
		"    - target: linux_x64\n      file: patchls_linux_amd64.tar.gz\n      bin: patchls\n",
		"    - target: win_arm64\n      file: patchls_windows_arm64.zip\n      bin: patchls.exe\n",
	} {
		if !strings.Contains(entry, want) {
			t.Errorf("the entry for mason lacks %q:\n%s", want, entry)
		}
	}
}

// TestEachFileHasAChecksum: also the packages for npm, which a release has and whose attestation is by their checksums.
func TestEachFileHasAChecksum(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, file := range []string{"dist/a.deb", "dist/npm/patchls-1.0.0.tgz", "dist/manifests/server.json"} {
		if err := write(file, []byte("a")); err != nil {
			t.Fatal(err)
		}
	}
	if err := checksums(t.Context()); err != nil {
		t.Fatal(err)
	}
	const sum = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
	want := sum + "  a.deb\n" + sum + "  patchls-1.0.0.tgz\n"
	if got, err := os.ReadFile("dist/checksums.txt"); err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
