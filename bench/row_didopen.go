package main

import "fmt"

// didOpenRow opens texts in whole servers.
func didOpenRow(e *env) (row, error) {
	r := row{
		Why:   "The text is copied out of the pipe and out of its JSON, each once; the peer's parser is native code and does the same.",
		Title: "didOpen, whole server",
		About: "Go's own source goes to each server as one didOpen over a pipe. Time until a request sent behind it is answered.",
	}
	all, stop, err := e.servers()
	if err != nil {
		return r, err
	}
	defer stop()
	t := table{Columns: []string{"size"}}
	c := chart{File: "didopen.svg", Title: "didOpen, by the size of the text", X: "size of the text", Y: "to open"}
	for _, s := range all {
		t.Columns = append(t.Columns, s.name)
		c.Lines = append(c.Lines, line{Name: s.name})
	}
	for _, size := range []int{10 * kilobyte, 100 * kilobyte, megabyte, 10 * megabyte, 50 * megabyte} {
		open, shut := openFrame(e.source.first(size)), closeFrame()
		var who []contestant
		for _, to := range all {
			who = append(who, contestant{name: to.name, run: func() (float64, error) {
				took, err := to.send(open)
				if err == nil {
					_, err = to.send(shut)
				}
				return took, err
			}})
		}
		got, err := contest(e.rounds(9, 3), who...)
		if err != nil {
			return r, fmt.Errorf("%s: %w", sizeName(size), err)
		}
		cells := []string{sizeName(size)}
		c.XMarks = append(c.XMarks, mark{float64(size), sizeName(size)})
		for i, to := range all {
			m := got[to.name].median()
			c.Lines[i].add(float64(size), m)
			cells = append(cells, fmt.Sprintf("%s, %s MB/s", got[to.name].times(), number(float64(size)/1e6/(m/1e9))))
		}
		t.add(cells...)
		if (size == megabyte || size == 50*megabyte) && len(got[languageServer]) > 0 {
			r.Goals = append(r.Goals, atLeast(sizeName(size)+", against "+languageServer, 2.5, got[languageServer].over(got[us])))
		}
	}
	open, shut := openFrame(e.source.first(10*megabyte)), closeFrame()
	r.work = func() error {
		c, err := inside()
		if err != nil {
			return err
		}
		defer c.close()
		for range 3 {
			if _, err := c.send(open); err != nil {
				return err
			}
			if _, err := c.send(shut); err != nil {
				return err
			}
		}
		return nil
	}
	r.Tables, r.Charts = []table{t}, []chart{c}
	return r, nil
}
