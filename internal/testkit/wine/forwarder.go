// Wine writes bcryptprimitives.dll, without which no program of Go 1.26 starts, and which wine 8
// does not have: a library whose one function, ProcessPrng, is SystemFunction036 of advapi32.
//
//	go run ./internal/testkit/wine bcryptprimitives.dll
package main

import (
	"bytes"
	"encoding/binary"
	"os"
)

func main() {
	const rva = 0x1000
	name, fn, fwd := "bcryptprimitives.dll\x00", "ProcessPrng\x00", "advapi32.SystemFunction036\x00"
	var sec bytes.Buffer
	le := binary.LittleEndian
	w := func(b *bytes.Buffer, vs ...any) {
		for _, v := range vs {
			_ = binary.Write(b, le, v)
		}
	}
	const dir = 40
	funcs := uint32(rva + dir)
	names := funcs + 4
	ords := names + 4
	strs := ords + 4 // aligned
	nameAt := strs
	fnAt := nameAt + uint32(len(name))
	fwdAt := fnAt + uint32(len(fn))
	w(&sec, uint32(0), uint32(0), uint16(0), uint16(0), nameAt, uint32(1), uint32(1), uint32(1), funcs, names, ords)
	w(&sec, fwdAt, fnAt, uint16(0), uint16(0))
	sec.WriteString(name + fn + fwd)
	size := uint32(sec.Len())
	var b bytes.Buffer
	b.WriteString("MZ")
	b.Write(make([]byte, 58))
	w(&b, uint32(64))
	b.WriteString("PE\x00\x00")
	w(&b, uint16(0x8664), uint16(1), uint32(0), uint32(0), uint32(0), uint16(240), uint16(0x2022))
	// optional header
	w(&b, uint16(0x20b), uint8(14), uint8(0), uint32(0), uint32(0x200), uint32(0), uint32(0), uint32(rva))
	w(&b, uint64(0x180000000), uint32(0x1000), uint32(0x200), uint16(6), uint16(0), uint16(0), uint16(0), uint16(6), uint16(0), uint32(0), uint32(0x2000), uint32(0x200), uint32(0), uint16(3), uint16(0x100))
	w(&b, uint64(0x100000), uint64(0x1000), uint64(0x100000), uint64(0x1000), uint32(0), uint32(16))
	w(&b, uint32(rva), size) // export directory
	for range 15 {
		w(&b, uint32(0), uint32(0))
	}
	b.WriteString(".rdata\x00\x00")
	w(&b, size, uint32(rva), uint32(0x200), uint32(0x200), uint32(0), uint32(0), uint16(0), uint16(0), uint32(0x40000040))
	b.Write(make([]byte, 0x200-b.Len()))
	b.Write(sec.Bytes())
	b.Write(make([]byte, 0x400-b.Len()))
	if err := os.WriteFile(os.Args[1], b.Bytes(), 0o644); err != nil {
		panic(err)
	}
}
