package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// trips is how many commands one round has.
const trips = 40

// commandRow measures a str_replace of an agent until the editor is asked.
func commandRow(e *env) (row, error) {
	r := row{
		Why:   "The empty round trip wakes two goroutines and does nothing else. A command is read and answered as JSON, its path is followed through symbolic links, its document is searched, and the edit is written as JSON: a fixed cost that is several times the empty trip however small the text is, and the search on top of it.",
		Title: "str_replace on an open document",
		About: fmt.Sprintf("From the request's frame to the frame of workspace/applyEdit, whole server over a pipe, beside an empty round trip (patchls/synced) on the same pipe, in turn; "+
			"the median of %d in each round. old_str is one line that is unique. The edit is then made and verified, which is not counted.", trips),
	}
	release, pinned := pin()
	defer release()
	if !pinned {
		r.Notes = append(r.Notes, "taskset is not here, so both ends run on any core: the empty round trip is then mostly the waking of cores.")
	}
	t := table{Columns: []string{"size", "empty round trip", "str_replace until applyEdit", "ratio"}}
	for _, size := range []int{10 * kilobyte, 100 * kilobyte, megabyte, 10 * megabyte} {
		c, err := started(e.patchls, "serve", "--log-file", filepath.Join(e.temp, "log"))
		if err != nil {
			return r, err
		}
		agent, err := newAgent(c, e.source.first(size))
		if err != nil {
			c.close()
			return r, err
		}
		const empty, replace = "empty", "replace"
		got, err := contest(e.rounds(9, 3),
			contestant{name: empty, run: func() (float64, error) { return several(c.trip) }},
			contestant{name: replace, run: func() (float64, error) { return several(agent.replace) }})
		c.close()
		if err != nil {
			return r, err
		}
		x := got[replace].over(got[empty])
		t.add(sizeName(size), got[empty].times(), got[replace].times(), number(x.Mid))
		if size == megabyte {
			r.Goals = append(r.Goals, atMost(sizeName(size)+", against an empty round trip", 6, x, "×"))
		}
	}
	r.work = func() error {
		c, err := inside()
		if err != nil {
			return err
		}
		defer c.close()
		agent, err := newAgent(c, e.source.first(megabyte))
		if err == nil {
			_, err = several(agent.replace)
		}
		return err
	}
	r.Tables = []table{t}
	return r, nil
}

func several(run func() (float64, error)) (float64, error) {
	var s series
	for range trips {
		x, err := run()
		if err != nil {
			return 0, err
		}
		s = append(s, x)
	}
	return s.median(), nil
}

// trip is a request that has nothing to do.
func (c *client) trip() (float64, error) {
	c.last++
	f := frame(c.last, "patchls/synced", nil)
	began := time.Now()
	if _, err := c.in.Write(f); err != nil {
		return 0, err
	}
	err := c.readUnlogged()
	return float64(time.Since(began).Nanoseconds()), err
}

// agent replaces one line of an open document, and puts it back, again and again.
type agent struct {
	c        *client
	now, was string // the line as it is, and as it will be
	version  int
}

func newAgent(c *client, s string) (*agent, error) {
	all := strings.SplitAfter(s, "\n")
	for _, l := range all[len(all)*2/3:] {
		if len(l) > 40 && strings.Count(s, l) == 1 {
			l = strings.TrimSuffix(l, "\n")
			_, err := c.send(openFrame(s))
			return &agent{c: c, now: l, was: l + " // changed", version: 1}, err
		}
	}
	return nil, errors.New("no line is unique")
}

func (a *agent) replace() (float64, error) {
	c := a.c
	c.last++
	id := c.last
	f := frame(id, "workspace/executeCommand", map[string]any{
		"command": "patchls.str_replace", "arguments": []any{map[string]any{"path": documentURI, "old_str": a.now + "\n", "new_str": a.was + "\n"}},
	})
	began := time.Now()
	if _, err := c.in.Write(f); err != nil {
		return 0, err
	}
	if err := c.readUnlogged(); err != nil {
		return 0, err
	}
	took := float64(time.Since(began).Nanoseconds())
	return took, a.settle(id)
}

// settle makes the edit that the server has asked for, as an editor does.
func (a *agent) settle(id int) error {
	c := a.c
	var asked struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Edit struct {
				DocumentChanges []struct {
					Edits []struct {
						Range   json.RawMessage
						NewText string
					}
				}
			}
		}
		Error json.RawMessage
	}
	if err := json.Unmarshal(c.body, &asked); err != nil {
		return err
	}
	if asked.Method != "workspace/applyEdit" || len(asked.Params.Edit.DocumentChanges) != 1 || len(asked.Params.Edit.DocumentChanges[0].Edits) != 1 {
		return fmt.Errorf("not asked for one edit: %.300s", c.body)
	}
	edit := asked.Params.Edit.DocumentChanges[0].Edits[0]
	a.version++
	made := append(framed(map[string]any{"jsonrpc": "2.0", "id": asked.ID, "result": map[string]any{"applied": true}}),
		frame(0, "textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": documentURI, "version": a.version},
			"contentChanges": []any{map[string]any{"range": edit.Range, "text": edit.NewText}},
		})...)
	if _, err := c.in.Write(made); err != nil {
		return err
	}
	raw, err := c.answer(id)
	if err != nil {
		return err
	}
	var result struct{ Verified bool }
	if err := json.Unmarshal(raw, &result); err != nil {
		return err
	}
	if !result.Verified {
		return fmt.Errorf("not verified: %.300s", raw)
	}
	a.now, a.was = a.was, a.now
	return nil
}
