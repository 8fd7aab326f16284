package headless

import (
	"bytes"
	"encoding/json"
	"reflect"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// codec marshals payloads: the protocol module's types with its own functions,
// since encoding/json cannot decode its unions; everything else with
// encoding/json, whose strictness and tags are the usual ones.
type codec struct{}

var _ jsonrpc2.Codec = codec{}

// Marshal implements [jsonrpc2.Codec].
func (codec) Marshal(v any) ([]byte, error) {
	switch m := v.(type) {
	case jsonrpc2.RawMessage:
		return orNull(m), nil
	case json.RawMessage:
		return orNull(m), nil
	}
	if ofProtocol(v) {
		return protocol.Marshal(v)
	}
	return encode(v)
}

// Unmarshal implements [jsonrpc2.Codec].
func (codec) Unmarshal(data []byte, v any) error {
	switch p := v.(type) {
	case *jsonrpc2.RawMessage:
		*p = bytes.Clone(data)
		return nil
	case *json.RawMessage:
		*p = bytes.Clone(data)
		return nil
	}
	if ofProtocol(v) {
		return protocol.Unmarshal(data, v)
	}
	return json.Unmarshal(data, v)
}

// encode is json.Marshal without HTML escapes, which jsonrpc2 forbids.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func orNull(raw []byte) []byte {
	if raw == nil {
		return []byte("null")
	}
	return raw
}

var protocolPackage = reflect.TypeFor[protocol.Range]().PkgPath()

// ofProtocol reports whether v is a type of the protocol module, or a pointer
// to, list of or map to one.
func ofProtocol(v any) bool {
	t := reflect.TypeOf(v)
	for t != nil && t.Name() == "" {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			t = t.Elem()
		default:
			return false
		}
	}
	return t != nil && t.PkgPath() == protocolPackage
}
