package paths

import (
	"errors"
	"testing"

	"github.com/patchls/patchls/edits"
)

// TestKeysOfShares: a host may be percent-encoded, as VS Code does with that of WSL.
func TestKeysOfShares(t *testing.T) {
	for raw, want := range map[string]Key{
		"file://wsl%24/Ubuntu/home/a.txt": `\\wsl$\Ubuntu\home\a.txt`,
		"file://server/share/a%20b.txt":   `\\server\share\a b.txt`,
		"file:///C%3A/a.txt":              `c:\a.txt`,
	} {
		if got, err := KeyOf(raw); got != want || err != nil {
			t.Errorf("%s: %q %v, want %q", raw, got, err, want)
		}
	}
}

// TestSharesOutsideAreNotLookedAt: accessing a share would send the user's credentials to it.
func TestSharesOutsideAreNotLookedAt(t *testing.T) {
	roots := []string{`C:\menu`, `\\server\share\menu`}
	for abs, want := range map[string]bool{
		`\\attacker.example\share\a.txt`: true, `\\server\other\a.txt`: true,
		`\\server\Share\a.txt`: false, `d:\a.txt`: false,
	} {
		if got := OnOtherMachine(abs, roots); got != want {
			t.Errorf("%s: %t", abs, got)
		}
	}
	_, err := Policy{Roots: Pin(`C:\menu`)}.Resolve(`\\attacker.example\share\a.txt`, nil)
	if e, ok := errors.AsType[*edits.Error](err); !ok || e.Kind != edits.OutsideWorkspace {
		t.Error(err)
	}
}

// TestNamesThatAreShortened: no file is made or edited by a name that Windows cuts.
func TestNamesThatAreShortened(t *testing.T) {
	root := t.TempDir()
	p := Policy{Roots: Pin(root)}
	for _, name := range []string{"menu.", "menu ", "menu.txt.", `sub.\menu.txt`} {
		_, err := p.Resolve(root+`\`+name, nil)
		if e, ok := errors.AsType[*edits.Error](err); !ok || e.Kind != edits.InvalidParams {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := p.Resolve(root+`\menu.tar.gz`, nil); err != nil {
		t.Error(err)
	}
}
