package lsp_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
)

// does has an agent do something with a document.
func (w *seenWorld) does(a *seenAgent, r *rand.Rand, op, name string) {
	k := a.knows[name]
	if k == nil {
		k = &seenText{forgot: set{}, gone: set{}, unmet: true}
		if a.knows[name] = k; r.IntN(8) > 0 {
			w.view(a, k, r, name, r.IntN(2) == 0)
			return
		}
	}
	if r.IntN(5) == 0 {
		at, what := r.Uint64(), []string{"add", "change", "delete"}[r.IntN(3)]
		w.setMeanwhile(func() { w.user(rand.New(rand.NewPCG(at, 0)), what, name) })
	}
	if a.connected() == "untold" && (op == "cat" || op == "sed" || k.unmet) { // what it has read elsewhere is not known
		op = "view"
	}
	switch op {
	case "view":
		w.view(a, k, r, name, r.IntN(3) == 0)
	case "look":
		w.view(a, k, r, name, true)
	case "replace":
		w.replace(a, k, r, name)
	case "lines":
		w.byLines(a, k, r, name)
	case "insert":
		w.insertion(a, k, r, name)
	case "equal":
		w.equal(a, k, r, name)
	case "write":
		w.write(a, k, r, name, false)
	case "again":
		w.write(a, k, r, name, k.conflict)
	case "undo":
		w.undo(a, r)
	case "cat":
		w.cat(k, name)
	case "sed":
		w.sed(k, r, name)
	case "reconnect":
		w.reconnect(a)
	default:
		panic("an agent cannot " + op)
	}
}

// view shows lines to an agent, by any of the commands that show lines.
func (w *seenWorld) view(a *seenAgent, k *seenText, r *rand.Rand, name string, whole bool) {
	n := max(1, len(simLines(w.text(name))))
	from := 1 + r.IntN(n)
	to := min(n, from+r.IntN(12))
	if whole {
		from, to = 1, n
	}
	var answer *seenAnswer
	switch r.IntN(4) {
	case 0:
		answer = w.ask(a, "text_editor", args{"action": "read", "path": name, "line_from": from, "line_to": to})
	case 1:
		answer = w.ask(a, "str_replace_editor", args{"command": "view", "path": name, "view_range": []int{from, to}})
	default:
		answer = w.ask(a, "view", args{"path": name, "start_line": from, "end_line": to})
	}
	if answer.refused == nil {
		k.reads(answer.shows(), answer.Rev, answer.Total)
		k.conflict, k.then = false, simLines(w.text(name))
	}
}

// after has an agent read the answer to an edit.
func (w *seenWorld) after(a *seenAgent, k *seenText, name string, answer *seenAnswer) {
	k.conflict = false
	if answer.refused != nil {
		if answer.refused.Snippet != "" {
			unmet := k.unmet
			k.reads(answer.refused.Snippet, answer.refused.Rev, 0)
			k.unmet, k.guesses = unmet, true
		}
		return
	}
	if len(answer.Files) == 1 {
		k.unmet, k.then = false, simLines(w.text(name))
		k.reads(answer.shows(), answer.Files[0].Rev, answer.Files[0].TotalLines)
	}
}

// pick returns the index of a line that the agent knows, and that is not there twice; -1 if there is none.
func (k *seenText) pick(r *rand.Rand, fits func(l seenLine) bool) int {
	var all []int
	for i, l := range k.lines {
		if mark(l.text) != "" && (fits == nil || fits(l)) {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return -1
	}
	return all[r.IntN(len(all))]
}

// replace replaces a line by its text.
func (w *seenWorld) replace(a *seenAgent, k *seenText, r *rand.Rand, name string) {
	at := k.pick(r, nil)
	if at < 0 {
		return
	}
	old, put := k.lines[at].text, w.line("a")
	command, with := "str_replace", args{"path": name, "old_str": old, "new_str": put}
	if r.IntN(4) == 0 {
		command, with = "text_editor", args{"action": "patch", "path": name, "old_text": old, "new_text": put}
	}
	answer, before, now := w.edits(a, name, command, with)
	if now != nil {
		i := slices.IndexFunc(before, func(row string) bool { return strings.Contains(row, old) })
		if i < 0 {
			w.fail("place", "%q was not there, and was replaced", old)
			return
		}
		want := slices.Clone(before)
		want[i] = strings.Replace(want[i], old, put, 1)
		w.wants(now, want)
		k.wrote(at, at, at+1, []string{put})
	}
	w.after(a, k, name, answer)
}

// wants holds lines to what they are to be, without regard to blanks.
func (w *seenWorld) wants(now, want []string) {
	same := func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }
	if slices.EqualFunc(now, want, same) || len(now)+len(want) == 1 && slices.Concat(now, want)[0] == "" { // some editors always have a line
		return
	}
	if n := len(want) - 1; n > 0 && want[n] == "" && slices.EqualFunc(now, want[:n], same) {
		return // the text has no line end after its last line, and this line is empty now
	}
	for len(now) > 2 && len(want) > 2 && same(now[2], want[2]) && same(now[1], want[1]) && same(now[0], want[0]) {
		now, want = now[1:], want[1:]
	}
	w.fail("place", "made %s, want %s", brief(now[:min(len(now), 12)]), brief(want[:min(len(want), 12)]))
}

// numbers returns the lines whose numbers an agent knows, and the rev of the text that they are of; rev is "" if it
// sends none.
func (k *seenText) numbers(r *rand.Rand) (rev string, at map[int]string) {
	if k.rev != "" && len(k.numbered) > 0 && r.IntN(3) == 0 {
		return k.rev, k.numbered
	}
	at = map[int]string{}
	for _, l := range k.lines {
		if l.n > 0 {
			at[l.n] = l.text
		}
	}
	return "", at
}

// byLines replaces or deletes lines by their numbers.
func (w *seenWorld) byLines(a *seenAgent, k *seenText, r *rand.Rand, name string) {
	rev, at := k.numbers(r)
	if len(at) == 0 {
		return
	}
	known := slices.Sorted(maps.Keys(at))
	from := known[r.IntN(len(known))]
	to := from
	for to < from+r.IntN(3) && at[to+1] != "" {
		to++
	}
	var means []string
	for n := from; n <= to; n++ {
		means = append(means, at[n])
	}
	if len(marksOf(means)) == 0 {
		return // lines without a mark cannot be told from equal ones
	}
	var put []string
	if r.IntN(3) > 0 {
		put = []string{w.line("a")}
		if r.IntN(3) == 0 {
			put = append(put, w.line("a"))
		}
	}
	content := strings.Join(put, "\n")
	command, with := "edit_lines", args{"edits": []args{{"from": from, "to": to, "content": content}}}
	switch x := r.IntN(5); {
	case len(put) == 0 && x == 0 && rev == "":
		command, with = "edit_file", args{"delete_lines": args{"start": from, "end": to}}
	case len(put) == 0 && x > 1:
		command, with = "delete_lines", args{"start_line": from, "end_line": to}
	case len(put) == 0:
		with = args{"edits": []args{{"from": from, "to": to}}}
	case x == 0 && rev == "":
		command, with = "text_editor", args{"action": "patch", "edits": []args{{"from": from, "to": to, "content": content + "\n"}}}
	}
	with["path"] = name
	if rev != "" {
		with["rev"] = rev
	}
	answer, before, now := w.edits(a, name, command, with)
	if now != nil {
		i := indexOf(before, means)
		if i < 0 && slices.Equal(before, now) { // the user has meanwhile made the same edit, and the server finds it made
			before = w.asked[name]
			i = indexOf(before, means)
		}
		if i < 0 {
			w.fail("place", "lines %d-%d of its agent are %q, which were not there", from, to, means)
			return
		}
		w.wants(now, slices.Replace(slices.Clone(before), i, i+len(means), put...))
		here := -1
		for i, row := range means {
			if at := k.at(mark(row)); at >= i && at-i+len(means) <= len(k.lines) {
				here = at - i
				break
			}
		}
		if here >= 0 {
			k.wrote(here, here, here+len(means), put)
		} else { // it has replaced the lines in the file since, and the numbers below them are not those of its memory
			k.unnumbered()
		}
	}
	w.after(a, k, name, answer)
}

// insertion inserts a line beside one that is known by its number.
func (w *seenWorld) insertion(a *seenAgent, k *seenText, r *rand.Rand, name string) {
	rev, at := k.numbers(r)
	var known []int
	for n, row := range at {
		if mark(row) != "" {
			known = append(known, n)
		}
	}
	if len(known) == 0 {
		return
	}
	slices.Sort(known)
	n := known[r.IntN(len(known))]
	put, beside := w.line("a"), 1
	command, with := "insert", args{"after_line": n, "content": put}
	switch x := r.IntN(4); {
	case x == 0:
		with, beside = args{"before_line": n, "content": put}, 0
	case x == 1 && rev == "":
		command, with = "str_replace_editor", args{"command": "insert", "insert_line": n, "insert_text": put}
	case x == 2:
		command, with, beside = "edit_lines", args{"edits": []args{{"from": n, "content": put}}}, 0
	}
	if n+beside == 1 {
		return // that is the top, whatever is there
	}
	with["path"] = name
	if rev != "" {
		with["rev"] = rev
	}
	answer, before, now := w.edits(a, name, command, with)
	if now != nil {
		i := indexOf(before, []string{at[n]})
		if i < 0 {
			w.fail("place", "line %d of its agent is %q, which was not there", n, at[n])
			return
		}
		w.wants(now, slices.Insert(slices.Clone(before), i+beside, put))
		if here := k.at(mark(at[n])); here >= 0 {
			k.wrote(here, here+beside, here+beside, []string{put})
		} else { // it has the line from its newest answer alone, so it does not know which lines the new one moves
			k.unnumbered()
		}
	}
	w.after(a, k, name, answer)
}

// equal changes one of the lines that are there several times, or adds a line beside one, in the ways in which a number
// only chooses among equal places.
func (w *seenWorld) equal(a *seenAgent, k *seenText, r *rand.Rand, name string) {
	rev, at := k.numbers(r)
	alike := map[string]int{}
	for _, l := range k.lines {
		alike[l.text]++
	}
	var known []int
	for n, row := range at {
		isLone := slices.ContainsFunc(k.lines, func(l seenLine) bool { return l.n == n && l.lone })
		if mark(row) == "" && row != "" && !isLone && alike[row] > 1 && mark(at[n-1]) != "" && mark(at[n+1]) != "" {
			known = append(known, n)
		}
	}
	if len(known) == 0 {
		return
	}
	slices.Sort(known)
	n := known[r.IntN(len(known))]
	old, put := at[n], w.line("a")
	then, isEqual := k.then, func(row string) bool { return row == at[n] }
	quoted := fmt.Sprintf("%6d\t%s", n, old)
	command, with := "edit_lines", args{"path": name, "edits": []args{{"from": n, "to": n, "content": put, "expect": old}}}
	if rev != "" {
		with["rev"] = rev
	}
	switch x := r.IntN(6); {
	case rev != "" || x == 0:
	case x == 1:
		command, with = "str_replace", args{"path": name, "old_str": old, "new_str": put, "near_line": n}
	case x == 2:
		command, with = "str_replace", args{"path": name, "old_str": quoted, "new_str": put, "match": "lenient"}
	case x == 3:
		command, with = "apply_patch", args{"patch": fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -%d +%d @@\n-%s\n+%s\n", name, name, n, n, old, put)}
	case x == 4:
		command, with = "apply_patch", args{"patch": fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ @@\n-%s\n+%s\n", name, name, quoted, put)}
	default:
		command, with = "apply_patch", args{"patch": fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -%d,0 +%d @@\n+%s\n", name, name, n, n+1, put)}
		old = ""
	}
	answer, before, now := w.edits(a, name, command, with)
	i := slices.IndexFunc(now, func(row string) bool { return strings.TrimSpace(row) == put }) // the user may have indented the line
	if now != nil && i < 0 {
		w.fail("place", "%q is not there", put)
	} else if now != nil {
		want, here := slices.Clone(now), k.at(mark(at[n-1]))+1
		if here == 0 || here >= len(k.lines) || k.lines[here].text != at[n] { // it is no longer there in its memory
			k.unnumbered()
		} else if old != "" {
			k.wrote(here, here, here+1, []string{put})
		} else {
			k.wrote(here, here+1, here+1, []string{put})
		}
		if want[i] = strings.TrimSuffix(now[i], put) + old; old == "" {
			want = slices.Delete(want, i, i+1)
			i--
		}
		w.wants(before, want)
		several := max(len(filter(before, isEqual)), len(filter(then, isEqual))) > 1
		if several && (rev == "" || indexOf(before, []string{at[n-1], at[n], at[n+1]}) >= 0) { // with rev, the lines beside it may have changed
			w.stoodBeside(before, i-1, i+1, at[n-1], at[n+1])
		}
	}
	w.after(a, k, name, answer)
}

// stoodBeside fails unless a line that was chosen stood beside one of those that its agent knows there, or between the two. If
// one of these has gone, or was moved, nothing is known.
func (w *seenWorld) stoodBeside(rows []string, above, below int, one, other string) {
	is := func(i int, row string) bool { return i >= 0 && i < len(rows) && mark(rows[i]) == mark(row) }
	there := marksOf(rows)
	if marksOf(rows[:max(above+1, 0)])[mark(one)] && marksOf(rows[min(below, len(rows)):])[mark(other)] {
		return
	}
	if there[mark(one)] && there[mark(other)] && !w.shifted[mark(one)] && !w.shifted[mark(other)] && !is(above, one) && !is(below, other) {
		w.fail("chosen", "the line that was chosen does not stand between %q and %q", one, other)
	}
}

// indexOf returns where lines are among others, -1 if they are not there. One of them must be one of its kind.
func indexOf(all, rows []string) int {
	for i := range len(all) - len(rows) + 1 {
		if slices.EqualFunc(all[i:i+len(rows)], rows, func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }) {
			return i
		}
	}
	return -1
}

// write sends a whole text: what the agent believes to be there, with changes of its own. With rev, it says that
// it has seen the text that it was shown in full, or that it has put in what the error showed.
func (w *seenWorld) write(a *seenAgent, k *seenText, r *rand.Rand, name string, again bool) {
	mine, rev := k, ""
	switch {
	case again:
		rev = k.rev
	case k.whole && r.IntN(3) == 0:
		rev, mine = k.rev, &seenText{forgot: set{}}
		for n := range len(k.numbered) {
			mine.lines = append(mine.lines, seenLine{text: k.numbered[n+1], n: n + 1})
		}
	}
	rows, own, wish := w.rewrite(mine.rows(), r)
	content := strings.Join(rows, "\n") + "\n"
	command, with := "write", args{"path": name, "content": content}
	switch x := r.IntN(6); {
	case x == 0:
		command, with = "create", args{"path": name, "content": content, "overwrite": true}
	case x == 1 && rev == "":
		command, with = "write_file", args{"path": name, "content": content}
	case x == 2 && rev == "":
		command, with = "text_editor", args{"action": "write", "path": name, "content": content}
	}
	if rev != "" {
		with["rev"] = rev
	}
	answer, before, now := w.edits(a, name, command, with)
	if now != nil {
		w.judgeWhole(k, mine, w.held(name), before, now, rows, own, wish)
		k.lines, k.forgot = nil, set{}
		for i, row := range rows {
			k.lines = append(k.lines, seenLine{text: row, n: i + 1})
		}
	}
	w.after(a, k, name, answer)
	k.conflict = answer.refused != nil && answer.refused.Kind == edits.Stale && !strings.Contains(answer.refused.Snippet, "There is more")
}

// rewrite returns lines with a few changes, the marks of those that it wrote, and of those that it wants gone.
func (w *seenWorld) rewrite(rows []string, r *rand.Rand) (changed []string, own, wish set) {
	changed, own, wish, w.moved = slices.Clone(rows), set{}, set{}, set{}
	fresh := func() string {
		line := w.line("a")
		own[mark(line)] = true
		return line
	}
	if len(changed) == 0 || r.IntN(20) == 0 {
		for m := range marksOf(changed) {
			wish[m] = true
		}
		return []string{fresh(), fresh()}, own, wish
	}
	for range 1 + r.IntN(3) {
		at := r.IntN(len(changed))
		m := mark(changed[at])
		switch x := r.IntN(6); {
		case x == 0:
			changed = slices.Insert(changed, at, fresh())
		case x == 1 && len(changed) > 1:
			changed = slices.Delete(changed, at, at+1)
			wish[m] = true
		case x == 2 && len(changed) > 1:
			row := changed[at]
			changed = slices.Delete(changed, at, at+1)
			changed = slices.Insert(changed, r.IntN(len(changed)+1), row)
			w.moved[m], w.shifted[m] = true, true
		default:
			changed[at] = fresh()
			wish[m] = true
		}
	}
	for _, row := range changed {
		delete(wish, mark(row))
	}
	maps.DeleteFunc(own, func(m string, _ bool) bool { return !marksOf(changed)[m] })
	return changed, own, wish
}

// judgeWhole holds a text that was made of a whole text to what its agent knew and wanted.
func (w *seenWorld) judgeWhole(k, mine *seenText, file set, before, now, sent []string, own, wish set) {
	was, is, content := marksOf(before), marksOf(now), marksOf(sent)
	for m := range was {
		switch {
		case is[m]:
			if wish[m] {
				w.counts.kept++
			}
		case content[m]:
			w.fail("sent", "%s was there, was sent, and has gone", m)
		case wish[m] || k.gone[m] || k.unmet && file[m]:
		case mine.forgot[m]:
			w.counts.forgotten++
		default:
			w.fail("lost", "%s has gone; its agent did not know of it", m)
		}
	}
	for m := range own {
		if !is[m] {
			w.fail("dropped", "%s was sent, and is not there", m)
		}
	}
	for m := range is {
		switch {
		case was[m] || own[m] || w.moved[m]:
		case !content[m]:
			w.fail("invented", "%s was neither there nor sent", m)
		default:
			w.counts.revived++
		}
	}
	if k.guesses {
		return // it may have put lines in the wrong places
	}
	if m := twice(now); m != "" && twice(sent) == "" { // its agent may have seen what an undo brought twice
		w.fail("doubled", "%s is there twice", m)
	}
	inOrder := func(rows []string, of set) (marks []string) {
		for _, row := range rows {
			if m := mark(row); m != "" && of[m] && (is[m] || was[m]) {
				marks = append(marks, m)
			}
		}
		return marks
	}
	if !slices.Equal(inOrder(before, marksOf(mine.rows())), inOrder(mine.rows(), was)) {
		return // others have moved lines
	}
	if got, want := inOrder(now, content), inOrder(sent, is); !slices.Equal(got, want) {
		w.fail("order", "sent as %s, and made as %s", brief(want), brief(got))
	}
}

// undo takes back an edit of the agent's own.
func (w *seenWorld) undo(a *seenAgent, r *rand.Rand) {
	if len(a.edits) == 0 {
		return
	}
	e := a.edits[len(a.edits)-1]
	a.edits = a.edits[:len(a.edits)-1]
	k := a.knows[e.doc]
	answer, before, now := w.edits(a, e.doc, "undo", args{"edit_id": e.id})
	if now == nil {
		return
	}
	gone, is := marksOf(before), marksOf(now)
	for m := range gone {
		if !is[m] && !e.brought[m] {
			w.fail("lost", "an undo took %s out", m)
		}
		if i := k.at(m); !is[m] && i >= 0 {
			k.lines = slices.Delete(slices.Clone(k.lines), i, i+1)
		}
	}
	for m := range is {
		if !gone[m] && k.at(m) < 0 {
			k.forgot[m] = true // it knows that the line is back, and not where
		}
	}
	k.unnumbered()
	w.after(a, k, e.doc, answer)
}

// cat has the agent read the file by a program of its own.
func (w *seenWorld) cat(k *seenText, name string) {
	unmet := k.unmet
	known := marksOf(k.rows())
	maps.Copy(known, k.forgot)
	rows := simLines(w.file(name))
	w.remark("%s", brief(rows))
	k.shown(1, rows, len(rows))
	for m := range known {
		if k.at(m) < 0 {
			k.forgot[m] = true
		}
	}
	k.unnumbered()
	k.unmet, k.guesses = unmet, true
}

// sed has the agent change a line of the file by a program of its own.
func (w *seenWorld) sed(k *seenText, r *rand.Rand, name string) {
	file := w.file(name)
	at := k.pick(r, func(l seenLine) bool { return strings.Count(file, l.text) == 1 })
	if at < 0 {
		return
	}
	old, put := k.lines[at].text, w.line("a")
	w.remark("%s to %s", old, put)
	w.writes(r, name, strings.Replace(file, old, put, 1))
	k.lines = slices.Clone(k.lines)
	k.lines[at] = seenLine{text: put, n: 0}
	k.gone[mark(old)], k.guesses = true, true
}

// twice returns a line that is there twice though it is one of its kind; "" if there is none.
func twice(rows []string) string {
	n := map[string]int{}
	for _, row := range rows {
		if m := mark(row); m != "" {
			if n[m]++; n[m] == 2 {
				return m
			}
		}
	}
	return ""
}
