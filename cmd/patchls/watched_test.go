package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// watchEnv names the socket on which a watched server tells what it holds, and
// profileEnv, if set, the folder into which it writes profiles.
const (
	watchEnv   = "PATCHLS_WATCH"
	profileEnv = "PATCHLS_LOAD_PROFILE"
)

// shrink asks a watched server to give all free memory back before it tells what it holds.
const shrink = "shrink"

// footprint is what a server's process holds.
type footprint struct {
	Heap       int // bytes that are in use after a collection
	Goroutines int
}

// runWatched is patchls in a process of its own that also reports its footprint, on a
// socket that only tests know.
func runWatched(args []string) int {
	if folder := os.Getenv(profileEnv); folder != "" {
		defer profiled(folder)()
	}
	conn, err := net.Dial("unix", os.Getenv(watchEnv))
	if err != nil {
		panic(err)
	}
	go func() {
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			if lines.Text() == shrink {
				debug.FreeOSMemory()
			}
			if err := json.NewEncoder(conn).Encode(holds()); err != nil {
				return
			}
		}
	}()
	return run(standardStreams(), args)
}

func holds() footprint {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return footprint{Heap: int(m.HeapAlloc), Goroutines: runtime.NumGoroutine()}
}

// profiled begins a CPU profile, and returns the function that ends it. A heap profile is
// written each minute, because at the end nothing is left on the heap.
func profiled(folder string) (end func()) {
	cpu, err := os.Create(filepath.Join(folder, "cpu.pprof"))
	if err != nil {
		panic(err)
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		panic(err)
	}
	minute := time.NewTicker(time.Minute)
	go func() {
		for range minute.C {
			heap, err := os.Create(filepath.Join(folder, "heap.pprof"))
			if err != nil {
				panic(err)
			}
			_ = pprof.Lookup("heap").WriteTo(heap, 0)
			_ = heap.Close()
		}
	}()
	return func() {
		minute.Stop()
		pprof.StopCPUProfile()
		_ = cpu.Close()
	}
}

// watched is an editor whose server is a process of its own.
type watched struct {
	*headless.Editor
	t    *testing.T
	pid  int
	root string // of the workspace
	tell net.Conn
	said *bufio.Reader
}

// startWatched starts one; runtimeDir must have been called. It ends with the test.
func startWatched(t *testing.T, root string, opts headless.Options) *watched {
	t.Helper()
	opts.Roots = []string{root}
	socket := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "watch.sock")
	listening, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listening.Close()
	cmd := exec.Command("patchls-watched", "serve") // which testscript.Main has put into this process's PATH
	cmd.Env = append(os.Environ(), watchEnv+"="+socket)
	var logs bytes.Buffer
	cmd.Stderr = &logs
	ends := startProcess(t, cmd)
	e, err := headless.Start(context.Background(), ends, opts)
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{Editor: e, t: t, root: root, pid: cmd.Process.Pid}
	if w.tell, err = listening.Accept(); err != nil {
		t.Fatal(err)
	}
	w.said = bufio.NewReader(w.tell)
	t.Cleanup(func() {
		_ = e.Close() // the process says how it went
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v: %.4000s", err, logs.String())
		}
		_ = w.tell.Close()
	})
	return w
}

// holds asks the server what it holds.
func (w *watched) holds() footprint {
	w.t.Helper()
	return w.asked("?")
}

// shrunk has the server give all free memory back, and returns how many bytes of it are in memory.
func (w *watched) shrunk() int {
	w.t.Helper()
	w.asked(shrink)
	n, err := resident(w.pid)
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

func (w *watched) asked(question string) footprint {
	w.t.Helper()
	var f footprint
	_, err := w.tell.Write([]byte(question + "\n"))
	if err == nil {
		var line []byte
		if line, err = w.said.ReadBytes('\n'); err == nil {
			err = json.Unmarshal(line, &f)
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}
