package plainjson_test

import (
	"testing"

	"github.com/patchls/patchls/internal/plainjson"
)

func TestMarshal(t *testing.T) {
	got, err := plainjson.Marshal(map[string]string{"a": "<b>&\u2028\n"})
	if want := "{\"a\":\"<b>&\\u2028\\n\"}"; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	if _, err := plainjson.Marshal(func() {}); err == nil {
		t.Error("a function has JSON")
	}
}
