package main

// texts runs npm's ways to keep a text; nothing where there is no node.
type texts struct {
	e      *env
	script *script
	names  []string
}

func (e *env) texts() (*texts, error) {
	t := &texts{e: e}
	if e.peers.node == "" {
		return t, nil
	}
	var err error
	t.script, err = e.peers.start("text.mjs")
	for _, k := range nodeTexts {
		t.names = append(t.names, k.name)
	}
	return t, err
}

func (t *texts) running() bool { return t.script != nil }

func (t *texts) stop() {
	if t.running() {
		t.script.close()
	}
}

// replays returns a contestant for each way. Of a session that takes one of them
// too long, edits says how many are made.
func (t *texts) replays(s session, edits ...limit) ([]contestant, error) {
	if !t.running() {
		return nil, nil
	}
	file, err := s.save(t.e.temp)
	if err != nil {
		return nil, err
	}
	var who []contestant
	for _, k := range nodeTexts {
		order := map[string]any{"do": "replay", "kind": k.kind, "file": file}
		for _, l := range edits {
			if l.name == k.name {
				order["edits"] = l.edits
			}
		}
		who = append(who, contestant{name: k.name, run: func() (float64, error) { return t.script.order(order) }})
	}
	return who, nil
}

// limit is how many edits of a session a contestant makes.
type limit struct {
	name  string
	edits int
}
