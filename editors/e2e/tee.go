//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/patchls/patchls/internal/framing"
)

// An editor starts "patchls serve" from a folder that is first on its PATH. The patchls
// there is this program, which runs the server and logs all messages.
const (
	teeServer = "PATCHLS_E2E_SERVER" // the real program
	teeFolder = "PATCHLS_E2E_WIRE"   // where logs go
)

// entry is a message in a log.
type entry struct {
	At   time.Time `json:"at"`
	From string    `json:"from"` // client or server
	Body string    `json:"body"`
}

const (
	fromClient = "client"
	fromServer = "server"
)

// tee is what runs under the name patchls, with its arguments. It returns the exit code.
func tee(args []string) int {
	server := exec.CommandContext(context.Background(), os.Getenv(teeServer), args...)
	server.Stderr = os.Stderr
	code, err := runTee(server, len(args) > 0 && args[0] == "serve")
	if err != nil {
		fmt.Fprintln(os.Stderr, "patchls (recorded):", err)
	}
	return code
}

func runTee(server *exec.Cmd, recorded bool) (int, error) {
	if !recorded {
		server.Stdin, server.Stdout = os.Stdin, os.Stdout
		return exitCode(server.Run())
	}
	file, err := os.Create(filepath.Join(os.Getenv(teeFolder), strconv.Itoa(os.Getpid())+".jsonl"))
	if err != nil {
		return 1, err
	}
	defer func() { _ = file.Close() }()
	in, err := server.StdinPipe()
	if err != nil {
		return 1, err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := server.Start(); err != nil {
		return 1, err
	}
	log := &recorder{to: json.NewEncoder(file)}
	go func() {
		log.pass(in, os.Stdin, fromClient)
		_ = in.Close() // an editor that is killed also ends the input
	}()
	log.pass(os.Stdout, out, fromServer)
	return exitCode(server.Wait())
}

func exitCode(err error) (int, error) {
	if exit, is := errors.AsType[*exec.ExitError](err); is {
		return max(exit.ExitCode(), 1), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}

type recorder struct {
	mu sync.Mutex
	to *json.Encoder
}

// pass forwards messages. It logs each before it sends it, so that no answer is logged
// before its request.
func (l *recorder) pass(to io.Writer, from io.Reader, who string) {
	in, out := framing.NewReader(from), framing.NewWriter(to)
	for {
		body, err := in.Read()
		if err != nil {
			return
		}
		l.mu.Lock()
		_ = l.to.Encode(entry{At: time.Now(), From: who, Body: string(body)}) // a log that is cut short is seen as such
		l.mu.Unlock()
		if err := out.Write(func(b []byte) []byte { return append(b, body...) }); err != nil {
			return
		}
	}
}
