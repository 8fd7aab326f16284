package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// sessionsIn reads the recorded typing of a folder; without any there is one
// session that is made up.
func sessionsIn(folder string) ([]session, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json.gz"))
	if err != nil || folder == "" || len(files) == 0 {
		return []session{madeUp()}, err
	}
	var all []session
	for _, f := range files {
		s, err := recorded(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		all = append(all, s)
	}
	return all, nil
}

// recorded reads one session of github.com/josephg/editing-traces, and turns its
// places, which count code points, into LSP's. That they were turned rightly is
// seen by the text at the end.
func recorded(file string) (session, error) {
	s := session{name: strings.TrimSuffix(filepath.Base(file), ".json.gz")}
	f, err := os.Open(file)
	if err != nil {
		return s, err
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return s, err
	}
	var t struct {
		StartContent, EndContent string
		Txns                     []struct{ Patches []tracePatch }
	}
	if err := json.NewDecoder(z).Decode(&t); err != nil {
		return s, err
	}
	s.start, s.end = t.StartContent, t.EndContent
	flat, b := text.NewBuffer(text.New(narrow(s.start))), text.NewBuffer(text.New(s.start))
	for _, txn := range t.Txns {
		for _, p := range txn.Patches {
			c := change{flat.Position(p.at, text.UTF8), flat.Position(p.at+p.deleted, text.UTF8), p.put}
			flat.Replace(p.at, p.at+p.deleted, narrow(p.put))
			b.ReplaceRange(c.from, c.to, text.UTF16, c.put)
			s.changes = append(s.changes, c)
		}
	}
	if got := b.Snapshot().String(); got != s.end {
		return s, errors.New("the session does not end as it says")
	}
	return s, nil
}

// narrow makes each code point one byte, so that places which count them are
// offsets. What is above U+FFFF would count as one in UTF-16 then; no session has
// such a character, and one that had would not end as it says.
func narrow(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return 'x'
	}, s)
}

// tracePatch is [place, how many are deleted, what is put there].
type tracePatch struct {
	at, deleted int
	put         string
}

// UnmarshalJSON reads the three from their array.
func (p *tracePatch) UnmarshalJSON(raw []byte) error {
	return json.Unmarshal(raw, &[]any{&p.at, &p.deleted, &p.put})
}
