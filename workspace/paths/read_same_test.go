package paths

import (
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

func TestSameOnDisk(t *testing.T) {
	long := strings.Repeat("a line\n", 20_000)
	crlf := strings.ReplaceAll(long, "\n", "\r\n")
	for _, tt := range []struct {
		name, disk, text string
		same             bool
	}{
		{"the same bytes", "a\nb", "a\nb", true},
		{"both empty", "", "", true},
		{"a byte order mark on disk", text.BOM + "a\n", "a\n", true},
		{"a byte order mark in the text", "a\n", text.BOM + "a\n", true},
		{"a byte order mark alone", text.BOM, "", true},
		{"other line ends on disk", "a\r\nb\r\n", "a\nb\n", true},
		{"other line ends in the text", "a\nb\n", "a\r\nb\r\n", true},
		{"mixed line ends", "a\r\nb\n", "a\nb\r\n", true},
		{"all at once", text.BOM + "a\r\n", "a\n", true},
		{"long, with other line ends", crlf, long, true},
		{"a byte differs", "a\nb\n", "a\nc\n", false},
		{"a byte far on differs", long + "x\n", long + "y\n", false},
		{"the text goes on", "a\n", "a\nb", false},
		{"the disk goes on", "a\nb", "a\n", false},
		{"a final newline is text", "a", "a\n", false},
		{"a lone \\r is text", "a\rb", "a\nb", false},
		{"a \\r at the end is text", "a\r", "a\n", false},
		{"one \\r of two is text", "a\r\r\n", "a\n", false},
		{"a second byte order mark is text", text.BOM + text.BOM, text.BOM, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := newFolder(t)
			dir.add(t, "a.txt", tt.disk)
			_, at := dir.resolved(t, Policy{}, "a.txt")
			same, exists := SameOnDisk(at, text.New(tt.text))
			if same != tt.same || !exists {
				t.Errorf("SameOnDisk = %v, %v, want %v, true", same, exists, tt.same)
			}
		})
	}
}

func TestSameOnDiskWhereThereIsNoFile(t *testing.T) {
	dir := newFolder(t)
	at := func(name string) Target { _, target := dir.resolved(t, Policy{}, name); return target }
	if same, exists := SameOnDisk(at("gone"), text.New("")); same || exists {
		t.Errorf("SameOnDisk of nothing = %v, %v", same, exists)
	}
	if err := os.Symlink("gone", dir.path("link")); err == nil {
		if same, exists := SameOnDisk(at("link"), text.New("")); same || exists {
			t.Errorf("SameOnDisk of a link to nothing = %v, %v", same, exists)
		}
	}
	if same, exists := SameOnDisk(at("."), text.New("")); same || !exists {
		t.Errorf("SameOnDisk of a directory = %v, %v, want false, true", same, exists)
	}
}

// A reader may end its reads anywhere, between "\r" and "\n" too.
func TestTextInPieces(t *testing.T) {
	disk := text.BOM + "a\r\n\r\nb\r\r\nc\r"
	if !equal(newPlain(iotest.OneByteReader(strings.NewReader(disk))), newPlain(reader(text.New("a\n\nb\r\r\nc\r")))) {
		t.Error("texts differ if read byte by byte")
	}
	broken := io.MultiReader(strings.NewReader("a text"), iotest.ErrReader(io.ErrNoProgress))
	if equal(broken, reader(text.New("a text"))) {
		t.Error("a text that could not be read to its end is taken for the same")
	}
}

// So may the pieces of a text that was edited.
func TestPlainOfEdited(t *testing.T) {
	seed := chance.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	edited := text.New(text.BOM + strings.Repeat("a\r\nb\n", 3000))
	for range 2000 {
		at := random.IntN(edited.Len() - 10)
		edited = edited.Replace(at, at+random.IntN(10), []string{"\r", "\n", "\r\n", "\r\r", "a", text.BOM}[random.IntN(6)])
		all, err := io.ReadAll(newPlain(reader(edited)))
		if want := text.Plain(edited.Slice(0, edited.Len())); err != nil || string(all) != want {
			t.Fatalf("%q is read as %q, %v, want %q", edited, all, err, want)
		}
	}
}

// TestIsDirty: a document that has no file on this machine has nothing saved.
func TestIsDirty(t *testing.T) {
	dir := newFolder(t)
	dir.add(t, "a.txt", "a\n")
	_, same := dir.resolved(t, Policy{}, "a.txt")
	_, gone := dir.resolved(t, Policy{}, "gone.txt")
	for _, tt := range []struct {
		name   string
		target Target
		text   string
		dirty  bool
	}{
		{"the text of its file", same, "a\n", false},
		{"another text", same, "b\n", true},
		{"a file that is gone", gone, "", true},
		{"untitled, empty", Policy{}.Target("untitled:a", nil), "", true},
		{"untitled", Policy{}.Target("untitled:a", nil), "a\n", true},
		{"on another host", Policy{}.Target("file://host/a.txt", nil), "a\n", true},
		{"of another scheme", Policy{}.Target("vscode-remote://ssh/a.txt", nil), "a\n", true},
	} {
		if dirty := IsDirty(tt.target, text.New(tt.text)); dirty != tt.dirty {
			t.Errorf("%s: %v, want %v", tt.name, dirty, tt.dirty)
		}
	}
}
