package main

// memoryRow measures what an open document costs a server.
func memoryRow(e *env) (row, error) {
	r := row{
		Title: "Memory",
		About: "Resident memory of a server's process: with no document open, with one of Go's own source, and after 5,000 edits at random places in it. A server of its own for each size.",
		Why: "Beside the text a server keeps what the file held when it was opened or saved last, by which it knows text that was thrown away and files that others wrote. " +
			"Both share their memory until edits at random places have touched all of it.",
	}
	t := table{Columns: []string{"size", "server", "idle, MB", "opened, MB", "edited, MB"}}
	for _, size := range e.sizes(megabyte, 10*megabyte) {
		s := scattered(e.source.first(size), typedKeys)
		all, stop, err := e.servers()
		if err != nil {
			return r, err
		}
		figures := map[string]series{}
		for _, to := range all {
			figures[to.name], err = to.memory(s)
			if err != nil {
				stop()
				return r, err
			}
			cells := []string{sizeName(size), to.name}
			for _, x := range figures[to.name] {
				cells = append(cells, number(x))
			}
			t.add(cells...)
		}
		stop()
		for i, what := range []string{"idle", "with " + sizeName(size) + " open", "after edits in it"} {
			others := "–"
			if x := figures[languageServer]; len(x) > i {
				others = number(x[i]) + " MB (" + languageServer + ")"
			}
			r.Felt = append(r.Felt, felt{"memory of the server, " + what, number(figures[us][i]) + " MB", others})
		}
		r.Goals = append(r.Goals, atMost(sizeName(size)+", of which an open document takes", 6*float64(size)/megabyte, only(figures[us][1]-figures[us][0]), "MB"))
	}
	r.Tables = []table{t}
	return r, nil
}

// memory returns the megabytes of a server that has nothing open, has a text open, and has edited it.
func (s server) memory(of session) (series, error) {
	frames, _ := changeFrames(of.part(300))
	if s.name == us {
		frames, _ = changeFrames(of)
	}
	var all series
	for _, sent := range [][]byte{nil, openFrame(of.start), frames} {
		if _, err := s.send(sent); err != nil {
			return nil, err
		}
		x, err := s.resident()
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}
