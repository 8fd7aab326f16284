//go:build unix

// Package nvim_test runs the plugin in a real Neovim with the real server. It skips, and
// says so, where there is no Neovim.
package nvim_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// standIn names the socket of a test that stands in for the server: this program, started
// as the server, only connects the editor with it.
const standIn = "PATCHLS_TEST_STAND_IN"

// program is the patchls that the tests run.
var program string

func TestMain(m *testing.M) {
	if socket := os.Getenv(standIn); socket != "" {
		os.Exit(connect(socket))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if _, err := exec.LookPath("nvim"); err != nil {
		return m.Run() // every test skips
	}
	dir, err := os.MkdirTemp("", "patchls-nvim")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program = filepath.Join(dir, "patchls")
	build := exec.Command("go", "build", "-o", program, "../../cmd/patchls")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // so that it runs beside any Neovim
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// connect joins stdin and stdout with a socket until either ends.
func connect(socket string) int {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	go func() {
		_, _ = io.Copy(conn, os.Stdin)
		_ = conn.Close()
	}()
	_, _ = io.Copy(os.Stdout, conn)
	return 0
}
