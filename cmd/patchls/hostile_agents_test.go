package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/internal/testkit/hostile"
)

// besiegers is the number of hostile agents that run concurrently.
const besiegers = 6

// computing is the step of an agent that computes for half a second, and asks the server for
// nothing.
const computing = "compute"

// attack is what became of a step.
type attack struct {
	Step string
	Took time.Duration // from when it was sent
	Size int           // of what was sent and answered, in bytes
	Read bool          // the answer has the secret
	Err  string        // of the connection, not of the command
}

// runSiege runs agents against the server with the process id args[0]. They have a process of their
// own, so that their computing is not counted as the server's. Each line of the input is a round of
// steps, separated by commas, and is answered by one line.
func runSiege(args []string) int {
	pid, err := strconv.Atoi(args[0])
	if err != nil {
		panic(err)
	}
	runtime.GOMAXPROCS(besiegers) // the system schedules each agent, as if it were a program of its own
	conns := make([]*agent.Conn, besiegers)
	for i := range conns {
		// Each has a connection of its own.
		finder := &agent.Finder{Client: agent.ClientInfo{Name: "hostile"}}
		for late := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) { //nolint:forbidigo // asked again until the server listens
			if conns[i], err = finder.ByPID(context.Background(), pid, "", agent.About{}); err == nil {
				break
			}
			if time.Now().After(late) {
				fmt.Fprintln(os.Stderr, "the server lets no agents in:", err)
				return 1
			}
		}
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		steps := strings.Split(lines.Text(), ",")
		attacks := make([]attack, len(steps))
		var wg sync.WaitGroup
		for i, conn := range conns {
			wg.Go(func() {
				for k := i; k < len(steps); k += len(conns) {
					attacks[k] = attackBy(conn, steps[k])
				}
			})
		}
		wg.Wait()
		if err := json.NewEncoder(os.Stdout).Encode(attacks); err != nil {
			return 1
		}
	}
	return 0
}

// transport is the part of Took that agents and server may need to encode, send and decode
// large messages: 8 MB a second, for six agents on two slow cores. apply_timeout_ms does not
// count it: that runs from when the server has read a message to when it knows the answer.
func (a attack) transport() time.Duration {
	return time.Duration(a.Size) * time.Second / (8 << 20)
}

func attackBy(conn *agent.Conn, step string) attack {
	a := attack{Step: step}
	if step == computing {
		for began := time.Now(); time.Since(began) < time.Second/2; {
		}
		return a
	}
	command, arguments, err := hostile.Recipe(step)
	if err != nil {
		a.Err = err.Error()
		return a
	}
	began := time.Now()
	raw, err := conn.Execute(context.Background(), agent.Call{Command: command, Arguments: arguments})
	a.Took = time.Since(began)
	sent, _ := json.Marshal(arguments) // cannot fail: Recipe makes plain values
	a.Size = len(sent) + len(raw)
	a.Read = strings.Contains(string(raw), siegeSecret) || err != nil && strings.Contains(err.Error(), siegeSecret)
	if err != nil && loadKind(err) == "" {
		a.Err = err.Error()
	}
	return a
}
