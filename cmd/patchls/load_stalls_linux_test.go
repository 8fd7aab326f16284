package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// watchProcessors notes in s when a processor of this machine is taken away, and reports
// whether it can: a process that may not run before all others would take its own waiting for that.
// What watches ends with the test.
func watchProcessors(t *testing.T, s *stalls) bool {
	t.Helper()
	var mine unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mine); err != nil {
		t.Fatal(err)
	}
	for cpu, left := 0, mine.Count(); left > 0; cpu++ {
		if !mine.IsSet(cpu) {
			continue
		}
		left--
		cmd := exec.Command("patchls-stalls", strconv.Itoa(cpu)) // see TestMain
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		if !lines.Scan() || lines.Text() != "watching" {
			t.Logf("no right to run before all others")
			_ = cmd.Wait()
			return false
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for lines.Scan() {
				var from, to int64
				if _, err := fmt.Sscan(lines.Text(), &from, &to); err == nil {
					s.add(time.Unix(0, from), time.Unix(0, to))
				}
			}
		}()
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			<-done
			_ = cmd.Wait()
		})
	}
	return true
}

// runStalls is the program that watches one processor until its parent ends.
func runStalls(args []string) int {
	runtime.LockOSThread()
	cpu, err := strconv.Atoi(args[0])
	if err != nil {
		return 2
	}
	var only unix.CPUSet
	only.Set(cpu)
	if unix.SchedSetaffinity(0, &only) != nil ||
		unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}, 0) != nil {
		fmt.Println("no")
		return 0
	}
	fmt.Println("watching")
	const step = 5 * time.Millisecond
	nap := unix.NsecToTimespec(int64(step))
	parent := os.Getppid()
	last := time.Now()
	long, taken := last, stolenFrom(cpu)
	for os.Getppid() == parent {
		_ = unix.Nanosleep(&nap, nil)
		now := time.Now()
		if now.Sub(last) >= step+minStall {
			fmt.Println(last.UnixNano(), now.UnixNano())
		}
		if now.Sub(long) >= shareOver {
			if s := stolenFrom(cpu); s-taken >= now.Sub(long)/maxShare {
				fmt.Println(long.UnixNano(), now.UnixNano())
			}
			long, taken = now, stolenFrom(cpu)
		}
		last = time.Now() // reading the figures may take long
	}
	return 0
}

// A processor has also stalled if the host takes more than one part in maxShare of a period of
// shareOver, in slices too short to see each: the rest of the machine hardly keeps up with the
// load, and commands queue up.
const (
	shareOver = 100 * time.Millisecond
	maxShare  = 3
)
