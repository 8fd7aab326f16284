package main

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/view"
)

// watchTexts compares the server's texts with the editor's, one document after the
// other, until ctx is done.
func (l *load) watchTexts(ctx context.Context) {
	next := time.NewTicker(100 * time.Millisecond)
	defer next.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
			l.checkText(l.docs[i%len(l.docs)])
		}
	}
}

// checkText compares one text, unless it changes during the comparison, and reports
// whether it did compare. The server has the editor's text of the time when it is
// asked, because notifications and requests come in order.
func (l *load) checkText(d *loadDoc) (done bool) {
	b := d.buffer(l.editor)
	if b == nil {
		return false
	}
	version, has := b.Version(), b.Text()
	shown, err := l.viewed(d, 1, 1)
	if b.Closed() || b.Version() != version {
		return false
	}
	l.figures.looks.Add(1)
	switch {
	case err != nil:
		l.wrong("shown %s: %v", d.name, err)
	case !shown.Open || shown.Rev != text.New(has).Hash():
		l.diverged("%s, version %d: the server has another text than the editor", d.name, version)
	}
	return true
}

func (l *load) viewed(d *loadDoc, from, to int) (*view.View, error) {
	raw, err := l.entries[0]("view", map[string]any{"path": d.name, "start_line": from, "end_line": to})
	if err != nil {
		return nil, err
	}
	var v view.View
	return &v, json.Unmarshal(raw, &v)
}

// checkAll compares all texts, line by line, after all agents and the user have stopped.
func (l *load) checkAll() {
	for _, d := range l.docs {
		b := d.buffer(l.editor)
		if b == nil || !l.checkText(d) {
			l.wrong("%s is not open or still changes", d.name)
			continue
		}
		if first := firstLine(b); first != d.typed {
			l.diverged("%s: the user has typed %q, and there is %q", d.name, d.typed, first)
		}
		if has, err := l.wholeText(d); err != nil || has != strings.ReplaceAll(b.Text(), "\r\n", "\n") {
			l.diverged("%s: what view shows is another text than the editor's (%v)", d.name, err)
		}
	}
}

// wholeText returns what the server shows of a document, with LF.
func (l *load) wholeText(d *loadDoc) (string, error) {
	var all strings.Builder
	for from := 1; ; {
		v, err := l.viewed(d, from, from+299)
		if err != nil {
			return "", err
		}
		for shown := range strings.SplitSeq(v.Text, "\n") {
			_, line, _ := strings.Cut(shown, "\t")
			all.WriteString(line + "\n")
		}
		if from = v.EndLine + 1; from > v.TotalLines {
			whole := all.String()
			if !v.FinalNewline {
				whole = strings.TrimSuffix(whole, "\n")
			}
			return whole, nil
		}
	}
}
