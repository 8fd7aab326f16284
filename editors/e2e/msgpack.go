//go:build unix

package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Neovim speaks MessagePack. This is the part of it that a driver needs.

// pack appends v: nil, bool, int, string, []any or map[string]any.
func pack(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, 0xc0)
	case bool:
		if v {
			return append(b, 0xc3)
		}
		return append(b, 0xc2)
	case int:
		return binary.BigEndian.AppendUint64(append(b, 0xd3), uint64(v))
	case string:
		return append(binary.BigEndian.AppendUint32(append(b, 0xdb), uint32(len(v))), v...)
	case []any:
		b = binary.BigEndian.AppendUint32(append(b, 0xdd), uint32(len(v)))
		for _, item := range v {
			b = pack(b, item)
		}
		return b
	case map[string]any:
		b = binary.BigEndian.AppendUint32(append(b, 0xdf), uint32(len(v)))
		for name, item := range v {
			b = pack(pack(b, name), item)
		}
		return b
	}
	panic(fmt.Sprintf("msgpack: %T", v))
}

// unpack reads a value: nil, bool, int, float64, string, []any or map[string]any. What
// Neovim has of its own (handles of buffers and windows) reads as nil.
func unpack(r *bufio.Reader) (any, error) {
	tag, err := r.ReadByte()
	if err != nil {
		return nil, err
	}
	switch {
	case tag < 0x80:
		return int(tag), nil
	case tag < 0x90:
		return unpackMap(r, int(tag&0x0f))
	case tag < 0xa0:
		return unpackArray(r, int(tag&0x0f))
	case tag < 0xc0:
		return unpackString(r, int(tag&0x1f))
	case tag >= 0xe0:
		return int(int8(tag)), nil
	case tag >= 0xd4 && tag <= 0xd8: // fixext: a type, and 1, 2, 4, 8 or 16 bytes
		_, err := r.Discard(1 + 1<<(tag-0xd4))
		return nil, err
	}
	switch tag {
	case 0xc0:
		return nil, nil
	case 0xc2, 0xc3:
		return tag == 0xc3, nil
	case 0xc4, 0xc5, 0xc6:
		return sized(r, 1<<(tag-0xc4), unpackString)
	case 0xc7, 0xc8, 0xc9:
		return sized(r, 1<<(tag-0xc7), func(r *bufio.Reader, n int) (any, error) {
			_, err := r.Discard(n + 1)
			return nil, err
		})
	case 0xca:
		n, err := number(r, 4)
		return float64(math.Float32frombits(uint32(n))), err
	case 0xcb:
		n, err := number(r, 8)
		return math.Float64frombits(n), err
	case 0xcc, 0xcd, 0xce, 0xcf:
		n, err := number(r, 1<<(tag-0xcc))
		return int(n), err
	case 0xd0, 0xd1, 0xd2, 0xd3:
		size := 1 << (tag - 0xd0)
		n, err := number(r, size)
		shift := 64 - 8*size
		return int(int64(n<<shift) >> shift), err
	case 0xd9, 0xda, 0xdb:
		return sized(r, 1<<(tag-0xd9), unpackString)
	case 0xdc, 0xdd:
		return sized(r, 2<<(tag-0xdc), unpackArray)
	case 0xde, 0xdf:
		return sized(r, 2<<(tag-0xde), unpackMap)
	}
	return nil, fmt.Errorf("msgpack: the tag %#x is not known", tag)
}

// number reads a big-endian number of that many bytes.
func number(r *bufio.Reader, size int) (uint64, error) {
	var raw [8]byte
	_, err := io.ReadFull(r, raw[8-size:])
	return binary.BigEndian.Uint64(raw[:]), err
}

// sized reads a length of that many bytes, and then what has the length.
func sized(r *bufio.Reader, size int, read func(*bufio.Reader, int) (any, error)) (any, error) {
	n, err := number(r, size)
	if err != nil {
		return nil, err
	}
	return read(r, int(n))
}

func unpackString(r *bufio.Reader, n int) (any, error) {
	raw := make([]byte, n)
	_, err := io.ReadFull(r, raw)
	return string(raw), err
}

func unpackArray(r *bufio.Reader, n int) (any, error) {
	items := make([]any, n)
	for i := range items {
		var err error
		if items[i], err = unpack(r); err != nil {
			return nil, err
		}
	}
	return items, nil
}

func unpackMap(r *bufio.Reader, n int) (any, error) {
	entries := make(map[string]any, n)
	for range n {
		name, err := unpack(r)
		if err != nil {
			return nil, err
		}
		if entries[fmt.Sprint(name)], err = unpack(r); err != nil {
			return nil, err
		}
	}
	return entries, nil
}
