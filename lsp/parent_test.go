package lsp

import (
	"os"
	"os/exec"
	"testing"
)

func TestProcessAlive(t *testing.T) {
	if !processAlive(os.Getpid()) {
		t.Error("this process runs")
	}
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Start(); err != nil {
		t.Fatal(err)
	}
	// On Windows a process can still be opened after its end while another program holds it.
	held, err := os.FindProcess(ended.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Release() }()
	if err := ended.Wait(); err != nil {
		t.Fatal(err)
	}
	if processAlive(ended.Process.Pid) {
		t.Error("a process that has ended and was waited for does not run")
	}
}
