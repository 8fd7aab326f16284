package text

import (
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// segments are the lines of a text that is in one piece, found when they are
// first asked for.
type segments struct {
	once   sync.Once
	starts []uint32     // offset of each "\n"-separated segment, the first is 0
	last   atomic.Int64 // that lineAt gave last: the next one is often near
}

// maxSegments is the longest text that has them. A longer one has its tree.
const maxSegments = math.MaxUint32

// of returns where the segments of s start, which is always the same text.
func (g *segments) of(s string) []uint32 {
	g.once.Do(func() {
		starts := make([]uint32, 1, 1+strings.Count(s, "\n"))
		for off := 0; ; {
			i := strings.IndexByte(s[off:], '\n')
			if i < 0 {
				break
			}
			off += i + 1
			starts = append(starts, uint32(off))
		}
		g.starts = starts
	})
	return g.starts
}

// lineAt returns which of the segments holds the byte at off.
func (g *segments) lineAt(starts []uint32, off int) int {
	last := int(g.last.Load())
	for i := last; i < min(last+4, len(starts)) && int(starts[i]) <= off; i++ {
		if i+1 == len(starts) || off < int(starts[i+1]) {
			g.remember(last, i)
			return i
		}
	}
	i, _ := slices.BinarySearch(starts, uint32(off)+1)
	g.remember(last, i-1)
	return i - 1
}

// remember writes only what is new: readers on other cores share the cache line.
func (g *segments) remember(last, line int) {
	if line != last {
		g.last.Store(int64(line))
	}
}
