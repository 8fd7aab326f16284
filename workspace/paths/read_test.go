package paths

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// resolved resolves a name in the folder under a policy that has it as root.
func (f folder) resolved(t *testing.T, p Policy, name string) (Policy, Target) {
	t.Helper()
	p.Roots = Pin(string(f))
	target, err := p.Resolve(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p, target
}

func TestReadClosed(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		policy        Policy
		text          string // the content if empty
		bom           bool
	}{
		{name: "a text as it is", content: "a\r\nb\n\nc"},
		{name: "an empty file"},
		{name: "a byte order mark is taken off", content: text.BOM + "a\n", text: "a\n", bom: true},
		{name: "only one byte order mark is", content: text.BOM + text.BOM + "a\n", text: text.BOM + "a\n", bom: true},
		{name: "U+FFFD is a character like any other", content: "a\uFFFDb"},
		{name: "as many bytes as are allowed", content: "12345", policy: Policy{MaxBytes: 5}},
		{name: "a NUL after what is probed", content: strings.Repeat("x", binaryProbe) + "\x00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := newFolder(t)
			dir.add(t, "a.txt", tt.content)
			p, target := dir.resolved(t, tt.policy, "a.txt")
			got, err := p.ReadClosed(target)
			if err != nil {
				t.Fatal(err)
			}
			want := tt.content
			if tt.bom {
				want = tt.text
			}
			if got.Text.String() != want || got.BOM != tt.bom || got.Path != "a.txt" || !got.Writable {
				t.Errorf("got %q, %+v, want the text %q", got.Text.String(), got, want)
			}
		})
	}
}

func TestReadClosedRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		policy        Policy
		path          string // "a.txt" if empty
		kind          edits.Kind
		says          string
	}{
		{name: "one byte more than is allowed", content: "123456", policy: Policy{MaxBytes: 5}, kind: edits.TooLarge, says: "more than the 5 bytes that max_document_bytes allows"},
		{name: "a NUL first", content: "\x00", kind: edits.BinaryFile, says: "NUL at offset 0"},
		{name: "a NUL", content: "ab\x00c", kind: edits.BinaryFile, says: "NUL at offset 2"},
		{name: "a NUL at the end of what is probed", content: strings.Repeat("x", binaryProbe-1) + "\x00", kind: edits.BinaryFile, says: "8191"},
		{name: "a byte that is not UTF-8", content: "é\nb\xe9c\n", kind: edits.NotUTF8, says: "byte 0xE9 at offset 4, on line 2"},
		{name: "a character cut off at the end", content: "ab\xe2\x82", kind: edits.NotUTF8, says: "byte 0xE2 at offset 2, on line 1"},
		{name: "half a surrogate pair", content: "\xed\xa0\x80", kind: edits.NotUTF8, says: "offset 0"},
		{name: "an offset counts the byte order mark", content: text.BOM + "\xff", kind: edits.NotUTF8, says: "offset 3"},
		{name: "UTF-16, little end first", content: "\xff\xfea\x00", kind: edits.NotUTF8, says: "is UTF-16"},
		{name: "UTF-16, big end first", content: "\xfe\xff\x00a", kind: edits.NotUTF8, says: "is UTF-16"},
		{name: "a directory", path: ".", kind: edits.IsDirectory, says: ". is a directory; use view"},
		{name: "a missing file", path: "gone.xyz", kind: edits.FileNotFound, says: "File not found: gone.xyz"},
		{name: "a file below a file", path: "a.txt/b", kind: edits.FileNotFound, says: "File not found: a.txt/b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := newFolder(t)
			dir.add(t, "a.txt", tt.content)
			if tt.path == "" {
				tt.path = "a.txt"
			}
			p, target := dir.resolved(t, tt.policy, tt.path)
			_, err := p.ReadClosed(target)
			wantKind(t, err, tt.kind, tt.says)
			if strings.Contains(err.Error(), string(dir)) {
				t.Errorf("the message gives away a folder of this machine: %s", err)
			}
		})
	}
}

func TestReadClosedOfADocumentThatIsNoFile(t *testing.T) {
	_, err := Policy{}.ReadClosed(Policy{}.Target("untitled:x", nil))
	wantKind(t, err, edits.FileNotFound, "is not open in the editor")
}

func TestReadClosedStopsWhereAFileGrows(t *testing.T) {
	endless := strings.NewReader(strings.Repeat("x", 100))
	_, err := Policy{MaxBytes: 10}.readAll(endless, 10, "a.txt")
	wantKind(t, err, edits.TooLarge, "a.txt has more than the 10 bytes")
	if read := 100 - endless.Len(); read > 11 {
		t.Errorf("%d bytes were read of which 10 are allowed", read)
	}
}

func TestReadClosedReportsAFailure(t *testing.T) {
	failing := io.MultiReader(strings.NewReader("x"), iotest.ErrReader(errors.New("disk on fire")))
	_, err := Policy{}.readAll(failing, 2, "a.txt")
	wantKind(t, err, edits.ReadOnly, "a.txt cannot be read: disk on fire")
}

func TestReadClosedDoesNotReadALargeFile(t *testing.T) {
	never := readerFunc(func([]byte) (int, error) { return 0, errors.New("read") })
	_, err := Policy{MaxBytes: 10}.readAll(never, 11, "a.txt")
	wantKind(t, err, edits.TooLarge, "a.txt")
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Between the check of a path and the reading, a link may have been put in its
// place.
func TestReadClosedRefusesWhatWasReplaced(t *testing.T) {
	for _, tt := range []struct {
		name    string
		replace func(t *testing.T, dir folder)
	}{
		{"the file by a link to outside", func(t *testing.T, dir folder) {
			os.Remove(dir.path("work/d/a.txt"))
			dir.link(t, "work/d/a.txt", "$/secret/a.txt")
		}},
		{"its folder by a link to outside", func(t *testing.T, dir folder) {
			os.RemoveAll(dir.path("work/d"))
			dir.link(t, "work/d", "$/secret")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := newFolder(t)
			dir.add(t, "work/d/a.txt", "")
			dir.add(t, "secret/a.txt", "secret")
			p, target := folder(dir.path("work")).resolved(t, Policy{}, "d/a.txt")
			tt.replace(t, dir)
			_, err := p.ReadClosed(target)
			wantKind(t, err, edits.OutsideWorkspace, "d/a.txt has come to lead elsewhere")
		})
	}
}

// What was opened is compared too: the path may have led astray just then.
func TestReadClosedComparesWhatWasOpened(t *testing.T) {
	dir := newFolder(t)
	dir.add(t, "a.txt", "")
	_, target := dir.resolved(t, Policy{}, "a.txt")
	for name, want := range map[string]bool{"a.txt": true, "b.txt": false} {
		info, err := os.Stat(dir.add(t, name, ""))
		if err != nil {
			t.Fatal(err)
		}
		if got := target.leadsTo(info); got != want {
			t.Errorf("a.txt leads to %s: %v, want %v", name, got, want)
		}
	}
}

func TestATargetThatWasNotCheckedIsNotRead(t *testing.T) {
	dir := newFolder(t)
	path := dir.add(t, "a.txt", "a")
	p := Policy{}
	_, err := p.ReadClosed(p.Target(FileKey(path), nil))
	wantKind(t, err, edits.OutsideWorkspace, "send the command again")
	if same, _ := SameOnDisk(p.Target(FileKey(path), nil), text.New("a")); same {
		t.Error("it was compared")
	}
}

func TestReadClosedOfAFileThatWasSavedAnew(t *testing.T) {
	dir := newFolder(t)
	path := dir.add(t, "a.txt", "old")
	p, target := dir.resolved(t, Policy{}, "a.txt")
	if err := os.Rename(dir.add(t, "new", "new"), path); err != nil {
		t.Fatal(err)
	}
	if f, err := p.ReadClosed(target); err != nil || f.Text.String() != "new" {
		t.Errorf("ReadClosed = %q, %v, want the new text", f.Text.String(), err)
	}
}

func TestReadClosedAfterAFileVanished(t *testing.T) {
	dir := newFolder(t)
	path := dir.add(t, "a.txt", "")
	p, target := dir.resolved(t, Policy{}, "a.txt")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, err := p.ReadClosed(target)
	wantKind(t, err, edits.FileNotFound, "File not found: a.txt")
}

func TestReadOnlyFileIsReadButNotWritable(t *testing.T) {
	dir := newFolder(t)
	path := dir.add(t, "a.txt", "a\n")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	p, target := dir.resolved(t, Policy{}, "a.txt")
	f, err := p.ReadClosed(target)
	if err != nil || f.Text.String() != "a\n" {
		t.Fatalf("ReadClosed = %q, %v", f.Text.String(), err)
	}
	wantKind(t, f.CheckWritable(), edits.ReadOnly, "a.txt is read-only")
	if err := (File{Path: "a.txt", Writable: true}).CheckWritable(); err != nil {
		t.Errorf("CheckWritable of a writable file: %v", err)
	}
}

func TestExists(t *testing.T) {
	dir := newFolder(t)
	dir.add(t, "file", "")
	dir.add(t, "folder/", "")
	dir.link(t, "link", "folder")
	dir.link(t, "dangling", "gone")
	for name, want := range map[string][2]bool{
		"file":      {true, false},
		"folder":    {true, true},
		"link":      {true, true},
		"dangling":  {true, false},
		"gone":      {false, false},
		"file/gone": {false, false},
	} {
		exists, isDir := Target{Abs: filepath.Join(string(dir), name)}.Exists()
		if got := [2]bool{exists, isDir}; got != want {
			t.Errorf("Exists of %s = %v, want %v", name, got, want)
		}
	}
	if exists, _ := (Target{Path: "untitled:x"}).Exists(); exists {
		t.Error("an untitled document exists on disk")
	}
}
