package framing

import (
	"bufio"
	"errors"
)

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
