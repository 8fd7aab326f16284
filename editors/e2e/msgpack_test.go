//go:build unix

package main

import (
	"bufio"
	"bytes"
	"reflect"
	"strings"
	"testing"
)

func TestPackIsRead(t *testing.T) {
	v := []any{nil, true, false, -7, 1 << 40, "é", []any{}, map[string]any{"a": []any{1, "b"}}}
	got, err := unpack(bufio.NewReader(bytes.NewReader(pack(nil, v))))
	if err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("%v, %v", got, err)
	}
}

// Neovim chooses the shortest of several forms.
func TestUnpackEveryForm(t *testing.T) {
	for raw, want := range map[string]any{
		"\x05":                                 5,
		"\xff":                                 -1,
		"\x82\xa1a\x01\xa1b\xc0":               map[string]any{"a": 1, "b": nil},
		"\x92\xc3\xc2":                         []any{true, false},
		"\xcc\xff":                             255,
		"\xcd\x01\x00":                         256,
		"\xd0\x80":                             -128,
		"\xd1\xff\x00":                         -256,
		"\xd2\xff\xff\xff\xfe":                 -2,
		"\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00": 1.5,
		"\xca\x3f\xc0\x00\x00":                 1.5,
		"\xd9\x02ab":                           "ab",
		"\xda\x00\x01a":                        "a",
		"\xc4\x01a":                            "a",
		"\xdc\x00\x01\x05":                     []any{5},
		"\xde\x00\x01\xa1a\x05":                map[string]any{"a": 5},
		"\x92\xd4\x00\x07\x01":                 []any{nil, 1}, // the handle of a buffer
		"\x92\xc7\x02\x00\x07\x08\x01":         []any{nil, 1},
	} {
		got, err := unpack(bufio.NewReader(strings.NewReader(raw)))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %#v, %v, want %#v", raw, got, err, want)
		}
	}
	if v, err := unpack(bufio.NewReader(strings.NewReader("\xc1"))); err == nil {
		t.Errorf("a tag that is never used reads as %v", v)
	}
}
