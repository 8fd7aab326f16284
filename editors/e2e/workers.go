//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/patchls/patchls/internal/testkit/metamodel"
)

// atOnce is how many editors run at a time.
const atOnce = 2

// workerTime is more than any editor takes for all cases.
const workerTime = 10 * time.Minute

// workers runs each editor in a process of its own.
func (o *options) workers(ctx context.Context, k *kit, wanted []kind, left map[string]string, log io.Writer) []outcome {
	outcomes := make([]outcome, len(wanted))
	free := make(chan struct{}, atOnce)
	if o.isSoak() {
		free = make(chan struct{}, len(wanted)) // their timing is not judged
	}
	var all sync.WaitGroup
	for i, w := range wanted {
		if left[w.name] != "" {
			outcomes[i] = outcome{Editor: w.name, Left: left[w.name]}
			continue
		}
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			result, err := o.worker(ctx, k, w.name, log)
			if err != nil {
				result.Failed = err.Error()
			}
			outcomes[i] = result
		})
	}
	all.Wait()
	return outcomes
}

func (o *options) worker(ctx context.Context, k *kit, name string, log io.Writer) (outcome, error) {
	result := outcome{Editor: name}
	folder, err := os.MkdirTemp("", "p")
	if err != nil {
		return result, err
	}
	defer func() {
		stopTerminals(folder)
		_ = os.RemoveAll(folder)
	}()
	asked, err := json.Marshal(order{
		Kit: *k, Editor: name, Folder: folder, Case: o.name, Agents: o.agents, Out: o.out, Logs: o.logs,
		Model: filepath.Join(k.Repo, metamodel.Place), Rounds: o.rounds,
		Soak: soakWork{Time: o.soak, Tries: o.tries, Name: o.name, Seed: o.seed},
	})
	if err != nil {
		return result, err
	}
	ctx, cancel := context.WithTimeout(ctx, workerTime+2*o.soak+time.Duration(o.tries+o.rounds)*tryTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, k.Tee, "-worker")
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(asked), &out, log
	// What a worker has started ends with it, also where it was killed.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Run(); err != nil {
		return result, fmt.Errorf("worker: %w", err)
	}
	err = json.Unmarshal(out.Bytes(), &result)
	return result, err
}
