package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/editors/headless"
)

// What is measured of an agent's socket.
const (
	anEdit  = "an edit"
	nothing = "an empty round trip"
)

// socketRow measures edits from an agent's socket to the verified answer.
func socketRow(e *env) (row, error) {
	r := row{
		Title: "An edit by the agents' socket",
		About: "From the call at an agent's connection to its answer, with the headless editor and patchls serve: a str_replace of a unique line in a document with unsaved text, which is verified. " +
			"An empty round trip is an unknown command. Each is made a thousand times in a row. Four agents edit lines of their own in one document.",
		Why: "An edit is two round trips, to the editor and back to the agent, and diffs the whole file; four agents queue for one. In a profile in 100 KB, half of the time was the edit itself, a quarter the garbage collector. A model takes a thousand times as long to name its edit.",
	}
	live, err := startLive(e)
	if err != nil {
		return r, err
	}
	defer live.close()
	t := table{Columns: []string{"what", "p50", "p99"}}
	for _, size := range []int{100 * kilobyte, megabyte} {
		d, err := live.document(e, fmt.Sprintf("%d.go", size), size)
		if err != nil {
			return r, err
		}
		all, err := live.agents(1)
		if err != nil {
			return r, err
		}
		edits := edited{d, all[0], d.places.at}
		got, err := inARow(e.rounds(1000, 10), contestant{name: anEdit, run: edits.next}, contestant{name: nothing, run: edits.nothing})
		_ = all[0].Close() // it never fails
		if err == nil {
			err = d.check()
		}
		if err != nil {
			return r, err
		}
		for _, name := range []string{anEdit, nothing} {
			t.add(name+", "+sizeName(size), duration(got[name].median()), duration(got[name].quantile(.99)))
		}
		if size == megabyte {
			r.Goals = append(r.Goals, atMost("an edit in 1 MB, against an empty round trip", 6, got[anEdit].over(got[nothing]), "×"))
			continue
		}
		inMS := func(q float64) ratio { return only(got[anEdit].quantile(q) / float64(time.Millisecond)) }
		r.Goals = append(r.Goals, atMost("an edit in 100 KB, p50", .5, inMS(.5), "ms"), atMost("an edit in 100 KB, p99", 3, inMS(.99), "ms"))
		rate, err := live.together(d, e.rounds(2000, 20))
		if err != nil {
			return r, err
		}
		g := atLeast("edits a second of four agents in 100 KB", 1000, only(rate))
		g.Unit = "a second"
		r.Goals = append(r.Goals, g)
	}
	r.Tables = []table{t}
	return r, nil
}

// liveDocument is one that is open in a live editor, with unsaved text.
type liveDocument struct {
	*headless.Buffer
	mu     sync.Mutex
	places *places // what is below that
}

func (l *liveEditor) document(e *env, name string, size int) (*liveDocument, error) {
	s := e.source.first(size)
	p, err := placesIn(s, 20)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(l.root, name)
	if err := os.WriteFile(file, []byte(s), 0o600); err != nil {
		return nil, err
	}
	b, err := l.typeIn(file)
	return &liveDocument{Buffer: b, places: p}, err
}

// check says that the buffer is another text than it should be.
func (d *liveDocument) check() error {
	if d.Text() != typedFirst+d.places.text() {
		return fmt.Errorf("%s is another text than it should be", d.URI())
	}
	return nil
}

// agents connects agents to the editor.
func (l *liveEditor) agents(n int) (all []*agent.Conn, err error) {
	own := os.Environ()
	defer setEnvironment(own)
	setEnvironment(append(own, l.environment...))
	for range n {
		finder := &agent.Finder{Client: agent.ClientInfo{Name: "bench"}}
		c, err := finder.ByPID(context.Background(), l.cmd.Process.Pid, "", agent.About{})
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// setEnvironment sets the environment of this process; of a name that is there twice the last value counts.
func setEnvironment(all []string) {
	os.Clearenv()
	for _, variable := range all {
		name, value, _ := strings.Cut(variable, "=")
		_ = os.Setenv(name, value) // it was valid before
	}
}

// edited is a document that an agent edits, at some of its places.
type edited struct {
	*liveDocument
	agent *agent.Conn
	at    []int
}

// next makes the next edit, and returns the nanoseconds until it was verified.
func (e *edited) next() (float64, error) {
	at := e.at[0]
	e.at = append(e.at[1:len(e.at):len(e.at)], at)
	e.mu.Lock()
	was, is := e.places.change(at)
	e.mu.Unlock()
	began := time.Now()
	raw, err := e.agent.Execute(context.Background(), agent.Call{Command: "str_replace", Arguments: map[string]any{"path": e.URI(), "old_str": was, "new_str": is}})
	took := time.Since(began)
	var a struct{ Verified bool }
	if err == nil {
		err = json.Unmarshal(raw, &a)
	}
	if err == nil && !a.Verified {
		err = fmt.Errorf("not verified: %.300s", raw)
	}
	return float64(took.Nanoseconds()), err
}

// nothing makes an empty round trip.
func (e *edited) nothing() (float64, error) {
	began := time.Now()
	_, err := e.agent.Execute(context.Background(), agent.Call{Command: "nothing"})
	took := time.Since(began)
	if _, data := words.ErrorData(err); data.Kind != "" {
		err = nil // the server's answer
	}
	return float64(took.Nanoseconds()), err
}

// inARow is contest without taking turns, for work that the other contestants and the collections would slow down.
func inARow(rounds int, who ...contestant) (map[string]series, error) {
	all := map[string]series{}
	for _, c := range who {
		for range rounds {
			x, err := c.run()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			all[c.name] = append(all[c.name], x)
		}
	}
	return all, nil
}

// together makes four agents make each edits concurrently, and returns the number of edits per second.
func (l *liveEditor) together(d *liveDocument, each int) (float64, error) {
	const agents = 4
	conns, err := l.agents(agents)
	if err != nil {
		return 0, err
	}
	errs := make([]error, agents)
	var all sync.WaitGroup
	began := time.Now()
	for i, c := range conns {
		mine := len(d.places.at) / agents
		own := edited{d, c, d.places.at[i*mine : (i+1)*mine]}
		all.Go(func() {
			for range each {
				if _, err := own.next(); err != nil {
					errs[i] = err
					return
				}
			}
		})
	}
	all.Wait()
	took := time.Since(began).Seconds()
	for i, c := range conns {
		_ = c.Close() // it never fails
		if errs[i] != nil {
			return 0, errs[i]
		}
	}
	return float64(agents*each) / took, d.check()
}
