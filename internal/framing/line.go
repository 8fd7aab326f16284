package framing

import (
	"bufio"
	"errors"
)

// MaxLine bounds a line that is a message, in bytes: it may have the largest document that a server edits by default, with room
// for JSON's escapes.
const MaxLine = 128 << 20

// Line reads a line with its line end. Of one that is longer than most bytes it reads that much or more, with the error
// [bufio.ErrBufferFull]; the rest follows. At the end of the stream, there may be a line beside the error.
func Line(r *bufio.Reader, most int) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); !errors.Is(err, bufio.ErrBufferFull) || len(line) > most {
			return line, err
		}
	}
}
