//go:build linux

package shadow

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// TestRunOfManyFiles: a thousand files with unsaved text are seen, and the last of them is edited.
func TestRunOfManyFiles(t *testing.T) {
	liveeditor.Home(t)
	t.Setenv("PATCHLS_TEST_PATIENCE", "1m") // a busy machine needs long to list them
	const many = 1000
	files := map[string]string{}
	for i := range many {
		files[fmt.Sprintf("%03d.txt", i)] = menu
	}
	root := liveeditor.Folder(t, files)
	l := liveeditor.Start(t, root, headless.Options{})
	var last *headless.Buffer
	for i := range many {
		b, err := l.Open(filepath.Join(root, fmt.Sprintf("%03d.txt", i)))
		if err == nil {
			err = b.Insert(0, "typed\n")
		}
		if err != nil {
			t.Fatal(err)
		}
		last = b
	}
	if err := l.Call(t.Context(), "patchls/synced", nil, nil); err != nil {
		t.Fatal(err)
	}
	k := startTalk(t, root)
	if got := k.does("cat *.txt | grep -c typed"); got != "1000\n" {
		t.Errorf("it saw %q", got)
	}
	k.does(fmt.Sprintf("echo cake >> %03d.txt", many-1))
	if said := k.ends(); said != "" {
		t.Errorf("it said %s", said)
	}
	if got := last.Text(); got != "typed\n"+menu+"cake\n" {
		t.Errorf("the buffer has %q", got)
	}
	nothingLeft(t)
}

// TestRunWritesOften: if a program writes a file again and again, as fast as it can, no text of it or the user is lost.
func TestRunWritesOften(t *testing.T) {
	liveeditor.Home(t)
	const times = 100
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	b := liveeditor.Start(t, root, headless.Options{}).Typed("menu.txt", "typed\n")
	k := startTalk(t, root)
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.does(fmt.Sprintf("i=0; while [ $i -lt %d ]; do echo $i >> menu.txt; i=$((i+1)); done", times))
	}()
	for range times {
		if err := b.Insert(0, "k"); err != nil {
			t.Error(err)
		}
	}
	<-done
	if said := k.ends(); said != "" {
		t.Errorf("it said %s", said)
	}
	want := strings.Repeat("k", times) + "typed\n" + menu
	for i := range times {
		want += fmt.Sprintf("%d\n", i)
	}
	if got := b.Text(); got != want {
		t.Errorf("the buffer has %q", got)
	}
	nothingLeft(t)
}

// TestRunWithoutMemory: where no memory is left for shadows, the program reads a whole text still, what it could write in part only
// is not made, and what the user types stays.
func TestRunWithoutMemory(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	b := liveeditor.Start(t, root, headless.Options{}).Typed("menu.txt", "typed\n")
	k := startTalk(t, root)
	keeper := strings.TrimSpace(k.does("echo $PPID"))
	shadows := strings.TrimSpace(k.does(`sed -n 's/.* \([^ ]*patchls-run-[^ ]*\) .* - tmpfs patchls .*/\1/p' /proc/self/mountinfo`))
	memory := func(size string) {
		out, err := exec.Command("nsenter", "-U", "-m", "--preserve-credentials", "-t", keeper, "mount", "-o", "remount,size="+size, shadows).CombinedOutput()
		if err != nil {
			k.ends()
			t.Skipf("the memory cannot be bounded: %v, %s", err, out)
		}
	}
	cat := func() string { return k.does("cat menu.txt") }
	memory("8k")
	if got := k.does("text=$(cat menu.txt); { yes | head -c 20000; echo $text; } 2>/dev/null > menu.txt || echo full"); got != "full\n" {
		t.Errorf("it wrote all: %q", got)
	}
	becomes(t, "the shadow", cat, "typed\n"+menu)
	long := strings.Repeat("a long thought\n", 2000)
	if err := b.Insert(0, long); err != nil {
		t.Fatal(err)
	}
	k.does("echo cake >> menu.txt")
	becomes(t, "the buffer", b.Text, long+"typed\n"+menu+"cake\n")
	if got := cat(); got != "typed\n"+menu+"cake\n" {
		t.Errorf("it reads %q", got)
	}
	memory("1m")
	becomes(t, "the shadow", cat, b.Text())
	said := k.ends()
	if strings.Count(said, "patchls run:") != 1 || !strings.Contains(said, "no memory is left, so it may be cut; it is in ") {
		t.Errorf("it said %q", said)
	}
	if got, disk := b.Text(), liveeditor.OnDisk(t, filepath.Join(root, "menu.txt")); got != long+"typed\n"+menu+"cake\n" || disk != menu {
		t.Errorf("the buffer has %q, the disk %q", got, disk)
	}
	nothingLeft(t)
}

// TestRunOutlivesTheEditor: where the editor is gone, the program reads and writes the file itself.
func TestRunOutlivesTheEditor(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	l := liveeditor.Start(t, root, headless.Options{})
	l.Typed("menu.txt", "typed\n")
	k := startTalk(t, root)
	if got := k.does("cat menu.txt"); got != "typed\n"+menu {
		t.Errorf("it saw %q", got)
	}
	l.Stop()
	becomes(t, "the program", func() string { return k.does("cat menu.txt") }, menu)
	k.does("echo cake >> menu.txt")
	if said := k.ends(); said != "" {
		t.Errorf("it said %s", said)
	}
	if got := liveeditor.OnDisk(t, filepath.Join(root, "menu.txt")); got != menu+"cake\n" {
		t.Errorf("the disk has %q", got)
	}
	nothingLeft(t)
}
