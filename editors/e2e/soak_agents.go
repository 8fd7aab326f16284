//go:build unix

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// command is one that an agent is about to send.
type command struct {
	name  string
	args  args
	asked tokens // that the command puts in and takes out; nil if unknown
	own   tokens // that only this command puts in
}

// asks makes a command that takes old out of a text and puts new there.
func asks(name string, a args, old, new string, brings ...string) command {
	own := tokens{}
	for _, word := range brings {
		own[word]++
	}
	return command{name: name, args: a, asked: tokensOf(new).without(tokensOf(old)), own: own}
}

// pauseMost is the longest that an agent thinks between two commands.
const pauseMost = 250 * time.Millisecond

// The bounds on the lines of a document: below them agents insert lines, above they delete.
const (
	minLines = 24
	maxLines = 60
)

// works has an agent send commands until its time is up.
func (s *stint) works(ctx context.Context, by int, r *rand.Rand) error {
	var old map[string]viewed // what it was shown last, which may have changed since
	var edits []*sent         // of its own, that can be taken back
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Duration(r.Int64N(int64(pauseMost)))):
		}
		doc := filepath.Base(s.paths[r.IntN(len(s.paths))])
		v, known := old[doc]
		if !known || r.IntN(3) > 0 {
			var err error
			v, err = s.view(by, doc)
			switch {
			case err == nil:
			case kindOf(err) == "not_settled":
				continue // the server does not know the text, and says so
			default:
				return err
			}
			if old == nil {
				old = map[string]viewed{}
			}
			old[doc] = v
		}
		if len(edits) > 0 && r.IntN(6) == 0 {
			i := r.IntN(len(edits))
			s.send(by, edits[i].back())
			edits = append(edits[:i], edits[i+1:]...)
			clear(old) // the edit may be of any document
			continue
		}
		done := s.send(by, s.think(v, r))
		if v.Edited = v.Edited || done.answer() != answerRefused; done.answer() == answerVerified {
			edits = append(edits, done)
		}
		old[doc] = v
	}
}

// back is the command that takes an edit back.
func (s *sent) back() command {
	c := command{name: "undo", args: args{"edit_id": s.Result.EditID}}
	for _, f := range s.Result.Files {
		c.args["path"] = pathOf(f.URI) // by which the editor is found
	}
	if u, err := readDiff(s.Result.Diff); err == nil {
		c.asked = u.change().negated()
	}
	return c
}

// think makes the next command of an agent that was shown a text.
func (s *stint) think(v viewed, r *rand.Rand) command {
	line := 1 + r.IntN(len(v.Lines))
	if r.IntN(2) == 0 {
		line = min(max(int(s.focus.Load())+r.IntN(4)-1, 1), len(v.Lines))
	}
	fresh := r.IntN(4) > 0
	switch n := r.IntN(10); {
	case len(v.Lines) > maxLines, n < 2 && len(v.Lines) > minLines:
		last := min(line+r.IntN(2), len(v.Lines))
		return s.deletes(v, line, last, fresh)
	case len(v.Lines) < minLines, n < 4:
		return s.inserts(v, line, fresh)
	case n < 6:
		return s.rewrites(v, line, fresh)
	case n < 7:
		if c, ok := s.patches(v, line); ok {
			return c
		}
	case n < 8 && !v.Edited:
		return s.writes(v, line, fresh)
	}
	if c, ok := s.replaces(v, r); ok {
		return c
	}
	return s.inserts(v, line, fresh)
}

// about adds the rev of the text that the line numbers refer to, if says is set. Without it they refer to what the agent
// was shown last, which is the text of its last edit in part.
func (c command) about(v viewed, says bool) command {
	switch {
	case says:
		c.args["rev"] = v.Rev
	case v.Edited:
		c.asked = nil
	}
	return c
}

// writes sends the whole text that the agent was shown, with one line changed. What others have written since stays.
func (s *stint) writes(v viewed, line int, fresh bool) command {
	word := s.newToken("a")
	text := word + " in a whole text"
	lines := slices.Clone(v.Lines)
	lines[line-1] = text
	a := args{"path": s.path(v.Doc), "content": strings.Join(lines, "\n") + "\n"}
	return asks("write", a, v.Lines[line-1], text, word).about(v, fresh)
}

func (s *stint) deletes(v viewed, first, last int, fresh bool) command {
	a := args{"path": s.path(v.Doc), "start_line": first, "end_line": last}
	return asks("delete_lines", a, strings.Join(v.Lines[first-1:last], "\n"), "").about(v, fresh)
}

func (s *stint) inserts(v viewed, after int, fresh bool) command {
	word := s.newToken("a")
	text := word + " put in by an agent\n"
	c := asks("insert", args{"path": s.path(v.Doc), "after_line": after, "content": text}, "", text, word)
	return c.about(v, fresh)
}

// rewrites changes one line, and puts another in below it.
func (s *stint) rewrites(v viewed, line int, fresh bool) command {
	word := s.newToken("a")
	text := word + " in the place of a line\n"
	edits := []args{{"from": line, "to": line, "content": text}}
	own := []string{word}
	if below := line + 3; below <= len(v.Lines) {
		more := s.newToken("a")
		own = append(own, more)
		edits = append(edits, args{"from": below, "content": more + " and another line\n"})
		text += more
	}
	c := asks("edit_lines", args{"path": s.path(v.Doc), "edits": edits}, v.Lines[line-1], text, own...)
	return c.about(v, fresh)
}

// replaces puts another word in the place of one that stands in the text once.
func (s *stint) replaces(v viewed, r *rand.Rand) (command, bool) {
	text := strings.Join(v.Lines, "\n")
	all := token.FindAllString(text, -1)
	if len(all) == 0 {
		return command{}, false
	}
	old := all[r.IntN(len(all))]
	if strings.Count(text, old) != 1 {
		return command{}, false
	}
	word := s.newToken("a")
	return asks("str_replace", args{"path": s.path(v.Doc), "old_str": old, "new_str": word}, old, word, word), true
}

// patches changes a line by a patch that quotes those around it.
func (s *stint) patches(v viewed, line int) (command, bool) {
	if line < 2 || line >= len(v.Lines) || strings.TrimSpace(v.Lines[line-1]) == "" {
		return command{}, false
	}
	word := s.newToken("a")
	text := word + " by a patch"
	patch := fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n %s\n-%s\n+%s\n %s\n*** End Patch",
		s.path(v.Doc), v.Lines[line-2], v.Lines[line-1], text, v.Lines[line])
	return asks("apply_patch", args{"patch": patch}, v.Lines[line-1], text, word), true
}
