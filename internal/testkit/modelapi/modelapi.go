// Package modelapi speaks the APIs of models as their vendors serve them: it reads what a client asks of a model, refuses
// tools that a vendor refuses, in the vendor's words, and writes what the model says.
package modelapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// An Ask is one request of a client to its model.
type Ask struct {
	Tools   []Tool
	Answers map[string]Answer // by the id of the call
}

// A Tool is a tool that the model is offered.
type Tool struct {
	Space, Name string // Space is its namespace in the API, or ""
	Strict      bool   // the schema is one of those that a model can be made to keep to
	All         bool   // the model is made to give a value to every argument
	Schema      Schema // of its arguments; nil if it has none

	at     string // where it is in the request, as the vendor says it
	subset bool   // the schema is in the API's own subset of JSON schemas
}

func (t Tool) String() string { return t.Space + t.Name }

// An Answer is a tool's answer as the client passes it on to its model.
type Answer struct {
	Text   string
	Failed bool
}

// A Reply is what the model says: a call, or a text where Tool has no name.
type Reply struct {
	ID   string
	Tool Tool
	Args map[string]any
	Text string
}

// An API is one API of models.
type API struct {
	path  string // ends the URL's path
	read  func(body []byte) (Ask, error)
	check func(tools []Tool) *RefusedError
	write func(w io.Writer, r Reply)
}

// A RefusedError is the answer to a request that the vendor refuses.
type RefusedError struct {
	Message string
	body    object
}

func (r *RefusedError) Error() string { return r.Message }

// Write writes the answer, with HTTP status 400.
func (r *RefusedError) Write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = io.WriteString(w, encoded(r.body))
}

var apis = []*API{
	{"/messages", readMessages, refuseAnthropic, writeMessages},
	{"/responses", readResponses, refuseOpenAI, writeResponses},
	{":streamGenerateContent", readGemini, refuseGoogle, writeGemini},
	{"/chat/completions", readChat, refuseChat, writeChat},
}

// Of returns the API that serves a path of a URL, or nil.
func Of(path string) *API {
	if i := slices.IndexFunc(apis, func(a *API) bool { return strings.HasSuffix(path, a.path) }); i >= 0 {
		return apis[i]
	}
	return nil
}

// Read reads a request. The error is a [*RefusedError] if the vendor refuses the tools in it.
func (a *API) Read(body []byte) (Ask, error) {
	asked, err := a.read(body)
	if err != nil {
		return asked, err
	}
	if refusal := a.check(asked.Tools); refusal != nil {
		return asked, refusal
	}
	return asked, nil
}

// Write writes the events of a reply.
func (a *API) Write(w io.Writer, r Reply) { a.write(w, r) }

type object = map[string]any

// content is a text, or a list of parts with texts, as all of these APIs have it.
type content string

func (c *content) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*c = content(s)
		return nil
	}
	var parts []struct{ Text string }
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	*c = content(strings.Join(texts, "\n"))
	return nil
}

func encoded(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// event writes one event of a stream.
func event(w io.Writer, name string, data object) {
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
	}
	fmt.Fprintf(w, "data: %s\n\n", encoded(data))
}
