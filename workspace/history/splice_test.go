package history_test

import (
	"github.com/patchls/patchls/edits/changeset"
)

// splices returns changes of a text, made of b. No change keeps a character at its
// ends, nor does its twin.
func (p *player) splices(doc string, b ...byte) []splice {
	rs := []rune(doc)
	var out []splice
	at := 0
	for i := 0; i+1 < len(b) && at <= len(rs); i += 2 {
		start := at + int(b[i])%(len(rs)-at+1)
		s := splice{start: start, end: min(len(rs), start+int(b[i+1])%4)}
		for range b[i+1] / 4 % 3 {
			r := p.m.fresh()
			for s.start < s.end && (letter(r) == letter(rs[s.start]) || letter(r) == letter(rs[s.end-1])) {
				r = p.m.fresh()
			}
			s.put = append(s.put, r)
		}
		if s.start < s.end || len(s.put) > 0 {
			out = append(out, s)
			at = s.end + 1
		}
	}
	return out
}

// changesetOf returns the splices in bytes.
func changesetOf(doc string, splices []splice) changeset.Changeset {
	rs := []rune(doc)
	var c changeset.Changeset
	for _, s := range splices {
		c = append(c, changeset.Change{At: len(string(rs[:s.start])), Old: string(rs[s.start:s.end]), New: string(s.put)})
	}
	return c
}

// letter returns the twin of a character; there are few of them.
func letter(r rune) rune { return []rune("aaabé😀")[r*7%6] }

func plain(s string) string {
	rs := []rune(s)
	for i, r := range rs {
		rs[i] = letter(r)
	}
	return string(rs)
}

// twinOf returns c, a changeset of doc, in the characters of the twin.
func twinOf(doc string, c changeset.Changeset) changeset.Changeset {
	var out changeset.Changeset
	for _, ch := range c {
		out = append(out, changeset.Change{At: len(plain(doc[:ch.At])), Old: plain(ch.Old), New: plain(ch.New)})
	}
	return out
}
