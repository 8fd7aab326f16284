package text

// linear goes on with a search at off byte by byte: the text and the pattern are
// such that comparing costs too much.
func (f *finder) linear(off int) {
	// A match that is not found yet may begin as far back as this, each of its line
	// ends being two bytes.
	from := max(0, f.last.Start, off-2*len(f.pattern))
	if !f.overlapping {
		from = max(from, f.last.End)
	}
	k := automaton{reader: reader{d: f.d}, needle: f.needle, fail: failures(f.pattern)}
	ends := func(end int) bool {
		m := Match{k.start(end), end}
		if m.Start <= f.last.Start {
			return true
		}
		if !f.overlapping {
			k.state = 0
		}
		return f.yield(m)
	}
	for k.next() {
		for i := max(0, from-k.base); i < len(k.run); i++ {
			b := k.run[i]
			if k.held && b != '\n' && k.step('\r') && !ends(k.base+i) {
				return
			}
			if k.held = k.loose && b == '\r'; k.held {
				continue
			}
			if k.step(b) && !ends(k.base+i+1) {
				return
			}
		}
	}
	if k.held && k.step('\r') {
		ends(f.d.size)
	}
}

// automaton finds a needle byte by byte (Knuth, Morris and Pratt).
type automaton struct {
	reader
	needle
	fail  []int32 // by length of a prefix: its longest proper prefix that it ends with
	state int32   // how much of the pattern the text ends with
	held  bool    // the last byte was a "\r", which is none if a "\n" follows
}

// failures returns [automaton.fail] for a pattern.
func failures(pattern string) []int32 {
	fail := make([]int32, len(pattern)+1)
	k := int32(0)
	for i := 1; i < len(pattern); i++ {
		for k > 0 && pattern[i] != pattern[k] {
			k = fail[k]
		}
		if pattern[i] == pattern[k] {
			k++
		}
		fail[i+1] = k
	}
	return fail
}

// step takes the next byte, and reports whether the pattern ends there.
func (k *automaton) step(b byte) bool {
	if k.state == int32(len(k.pattern)) {
		k.state = k.fail[k.state]
	}
	for k.state > 0 && k.pattern[k.state] != b {
		k.state = k.fail[k.state]
	}
	if k.pattern[k.state] == b {
		k.state++
	}
	return k.state == int32(len(k.pattern))
}

// start returns where the match begins that ends at end.
func (k *automaton) start(end int) int {
	if !k.loose {
		return end - len(k.pattern)
	}
	for to := len(k.pattern); ; {
		from := k.lineStart(to)
		end -= to - from
		if from == 0 {
			return end
		}
		to = from - 1
		end--
		if k.byteAt(end-1) == '\r' {
			end--
		}
	}
}
