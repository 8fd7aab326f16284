package headless

import "testing"

// TestPathsOfDrives have a URI, whichever case their letter is in.
func TestPathsOfDrives(t *testing.T) {
	for path, want := range map[string]string{
		`C:\menu`:          "file:///c%3A/menu",
		`c:\menu\a b.txt`:  "file:///c%3A/menu/a%20b.txt",
		`C:\`:              "file:///c%3A/",
		`C:\menu/a.txt`:    "file:///c%3A/menu/a.txt",
		`\\server\share\x`: "file://server/share/x",
	} {
		if got, err := uriOf(path); got != want || err != nil {
			t.Errorf("%s: %q %v, want %q", path, got, err, want)
		}
	}
}
