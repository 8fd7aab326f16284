package agent

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// TestPipe: each end reads what the other one writes, in both directions at once; a deadline ends
// a read and a write; and data that was written before the close can be read after it.
func TestPipe(t *testing.T) {
	l, server, client := pipePair(t)
	path := l.Addr().String()
	if _, err := client.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, 5)
	if _, err := io.ReadFull(server, said); err != nil || string(said) != "hello" {
		t.Fatalf("got %q, %v", said, err)
	}
	_ = client.SetReadDeadline(time.Now().Add(-time.Second))
	if _, err := client.Read(said); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a read whose time is up: %v", err)
	}
	_ = client.SetWriteDeadline(time.Now().Add(-time.Second))
	if _, err := client.Write(make([]byte, 1<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a write whose time is up: %v", err)
	}
	if _, err := server.Write([]byte("goodbye")); err != nil {
		t.Fatal(err)
	}
	_ = server.Close()
	_ = client.SetReadDeadline(time.Now().Add(time.Minute))
	if rest, err := io.ReadAll(client); err != nil || string(rest) != "goodbye" {
		t.Errorf("after the end: %q, %v", rest, err)
	}
	// Closing ends an Accept, and a client that leaves at once does not.
	ended := make(chan error)
	go func() {
		for {
			s, err := l.Accept()
			if err != nil {
				ended <- err
				return
			}
			_ = s.Close()
		}
	}()
	for range 20 {
		if c, err := dial(t.Context(), path); err != nil || c.Close() != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept of a closed pipe: %v", err)
	}
	if _, err := dial(t.Context(), path); !errors.Is(err, windows.ERROR_FILE_NOT_FOUND) {
		t.Errorf("a closed pipe: %v", err)
	}
}

// pipePair returns both ends of a connection.
func pipePair(t *testing.T) (l net.Listener, server, client net.Conn) {
	t.Helper()
	path, _ := newSystem().socketPath()
	l, err := listen(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	came := make(chan net.Conn)
	go func() {
		s, _ := l.Accept()
		came <- s
	}()
	client, err = dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	server = <-came
	t.Cleanup(func() { _, _ = client.Close(), server.Close() })
	return l, server, client
}

// TestAPipeIsTheUsersAlone: the system lets no other user open it, and a client sees whose it is.
func TestAPipeIsTheUsersAlone(t *testing.T) {
	_, server, client := pipePair(t)
	access, err := windows.GetSecurityInfo(windows.Handle(server.(interface{ Fd() uintptr }).Fd()), windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		t.Fatal(err)
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		t.Fatal(err)
	}
	me := user.User.Sid.String()
	if got := strings.ReplaceAll(access.String(), "OICI", ""); got != "O:"+me+"D:P(A;;FA;;;"+me+")" {
		t.Errorf("the access list is %s", got)
	}
	if err := newSystem().checkPeer(client); err != nil {
		t.Errorf("its user's own server: %v", err)
	}
}

// TestAPipeHasOneServer: no other process can make a pipe of the same name.
func TestAPipeHasOneServer(t *testing.T) {
	l, _, _ := pipePair(t)
	if second, err := listen(l.Addr().String()); !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		t.Errorf("got %v, %v", second, err)
	}
}

// TestAPipeOfAnotherUser: a client does not send the token to a pipe of another user.
func TestAPipeOfAnotherUser(t *testing.T) {
	path, _ := newSystem().socketPath()
	anothers(t, path, "O:SYD:P(A;;FA;;;WD)")
	client, err := dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := newSystem().checkPeer(client); !errors.Is(err, errForeign) {
		t.Errorf("got %v", err)
	}
}

// TestAPipeForAnotherUser: a user whom its access list does not name cannot open the pipe.
func TestAPipeForAnotherUser(t *testing.T) {
	path, _ := newSystem().socketPath()
	anothers(t, path, "O:SYD:P(A;;FA;;;SY)")
	if c, err := dial(t.Context(), path); !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		t.Errorf("got %v, %v", c, err)
	}
}

// anothers makes a pipe with that owner and access list.
func anothers(t *testing.T, path, access string) {
	t.Helper()
	sd, err := windows.SecurityDescriptorFromString(access)
	if err != nil {
		t.Fatal(err)
	}
	name, _ := windows.UTF16PtrFromString(path)
	h, err := windows.CreateNamedPipe(name, windows.PIPE_ACCESS_DUPLEX|windows.FILE_FLAG_OVERLAPPED, 0, 1, 0, 0, 0,
		&windows.SecurityAttributes{Length: 24, SecurityDescriptor: sd})
	if errors.Is(err, windows.ERROR_INVALID_OWNER) {
		t.Skip("only a privileged process makes a pipe of another user's here; wine lets any")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = windows.CloseHandle(h) })
}

// TestAFolderThatOthersMayEnter: neither a server nor a client uses it, nor a file in it.
func TestAFolderThatOthersMayEnter(t *testing.T) {
	sys := newSystem()
	dir := filepath.Join(t.TempDir(), "editors")
	if err := sys.makePrivate(dir); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "1.json")
	f, err := createPrivate(file)
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	if _, err := sys.readPrivate(file); err != nil {
		t.Errorf("a file of the user's alone: %v", err)
	}
	for path, check := range map[string]func() error{
		file: func() error { _, err := sys.readPrivate(file); return err },
		dir:  func() error { return sys.makePrivate(dir) },
	} {
		letIn(t, path, "D:(A;;FR;;;WD)")
		if err := check(); err == nil || !strings.Contains(err.Error(), "open to others") {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

// letIn gives path that access list.
func letIn(t *testing.T, path, access string) {
	t.Helper()
	sd, err := windows.SecurityDescriptorFromString(access)
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := sd.DACL()
	if err == nil {
		err = windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION, nil, nil, list, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestAPipeOfAnotherMachine: it is not accepted as a socket, so that no user name is sent to that machine.
func TestAPipeOfAnotherMachine(t *testing.T) {
	for _, path := range []string{`\\attacker.example\pipe\patchls-1`, `\\.\pipe\a\b`, `\\.\pipe\..\C:`, `C:\menu\1.sock`} {
		if err := newSystem().checkSocket(path); err == nil {
			t.Errorf("%s is taken", path)
		}
	}
	if _, err := dial(context.Background(), `\\.\pipe\patchls-none`); !errors.Is(err, windows.ERROR_FILE_NOT_FOUND) {
		t.Errorf("got %v", err)
	}
}
