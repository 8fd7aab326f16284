package patch

// ReadTwice reads a unified diff that begins with a header, with each of both readers. ok
// says whether it is well-formed; if not, strict is empty.
func ReadTwice(written string) (strict Patch, ok bool, tolerant Patch, err error) {
	s, t := unifiedReader{newCursor(written)}, unifiedReader{newCursor(written)}
	ok = s.wellFormed()
	err = t.files()
	return s.patch, ok, t.patch, err
}
