package mcp

import (
	"context"
	"encoding/json"
	"net/url"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

const mimeType = "text/plain"

// documents are the open documents, offered as resources under their own URIs.
// They are those of the editor that Connect gives for no path, as of the last
// refresh; that is made when a client asks, and from the first time on by watch.
type documents struct {
	server  *Server
	watched sync.Once
	poked   chan struct{} // that a refresh is wanted

	mu   sync.Mutex        // held for a whole refresh
	revs map[string]string // by URI
}

// receive sees the requests of clients before the SDK answers them from what it
// was told.
func (d *documents) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch method {
		case "resources/list":
			d.watch()
			if err := d.refresh(ctx); err != nil {
				return nil, err
			}
		case "resources/read":
			if r, ok := req.(*sdk.ReadResourceRequest); ok {
				if err := d.find(ctx, r.Params.URI); err != nil {
					return nil, err
				}
			}
		case "subscriptions/listen": // newer clients' way to subscribe, also to the list
			d.watch()
		}
		return next(ctx, method, req)
	}
}

// subscribe refuses what is not open.
func (d *documents) subscribe(ctx context.Context, req *sdk.SubscribeRequest) error {
	d.watch()
	if err := d.find(ctx, req.Params.URI); err != nil {
		return err
	}
	if !d.has(req.Params.URI) {
		return sdk.ResourceNotFoundError(req.Params.URI)
	}
	return nil
}

func (d *documents) has(uri string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.revs[uri]
	return ok
}

// find refreshes if a document is not known: it may have been opened just now.
func (d *documents) find(ctx context.Context, uri string) error {
	if d.has(uri) {
		return nil
	}
	return d.refresh(ctx)
}

// refresh asks the editor for its documents, and tells the clients what is other
// than the time before: of the list all of them, of a text its subscribers.
func (d *documents) refresh(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, raw, err := d.server.execute(ctx, "", agent.Call{Command: "list", Arguments: struct{}{}})
	if err != nil {
		return err
	}
	var listing view.Listing
	if err := json.Unmarshal(raw, &listing); err != nil {
		return err
	}
	now := map[string]string{}
	for _, doc := range listing.Documents {
		if _, err := url.Parse(doc.URI); err != nil {
			continue // the SDK would panic; the tools reach it all the same
		}
		now[doc.URI] = doc.Rev
		old, known := d.revs[doc.URI]
		if !known {
			d.server.sdk.AddResource(&sdk.Resource{URI: doc.URI, Name: doc.Path, MIMEType: mimeType}, d.read)
		}
		if !known || old != doc.Rev {
			d.updated(ctx, doc.URI)
		}
	}
	for uri := range d.revs {
		if _, open := now[uri]; !open {
			d.server.sdk.RemoveResources(uri)
			d.updated(ctx, uri) // who reads it learns that it is closed
		}
	}
	d.revs = now
	return nil
}

func (d *documents) updated(ctx context.Context, uri string) {
	_ = d.server.sdk.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri}) // it has no errors
}

// read is the handler of every resource.
func (d *documents) read(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	uri := req.Params.URI
	_, raw, err := d.server.execute(ctx, uri, agent.Call{Command: "document", Arguments: map[string]string{"uri": uri}})
	if err != nil {
		if _, data := agent.ErrorData(err); data.Kind == paths.FileNotFound {
			err = sdk.ResourceNotFoundError(uri)
		}
		return nil, err
	}
	var doc struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	contents := &sdk.ResourceContents{URI: uri, MIMEType: mimeType, Text: doc.Text}
	if doc.Text == "" {
		// The SDK leaves an empty text out, and a client then takes it for no
		// content at all. An empty blob it sends.
		contents.Blob = []byte{}
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{contents}}, nil
}

const (
	// settle is the least time between two looks at documents that change all the
	// time, as while the user types.
	settle = 100 * time.Millisecond
	// again is the time after which a Connect that failed is tried again.
	again = time.Second
)

// watch starts the goroutine that follows the documents, unless it runs already. It is called
// when a client first asks for resources: to follow costs a command for each change.
func (d *documents) watch() {
	d.watched.Do(func() { d.server.background.Go(func() { d.look(d.server.base) }) })
}

// poke has the documents looked at soon.
func (d *documents) poke() {
	workspace.Wake(d.poked)
}

// look refreshes whenever the editor's documents have changed, until ctx is done. A
// call may have found another editor, and its end is a change too: so the editor
// is asked for each time.
func (d *documents) look(ctx context.Context) {
	for ctx.Err() == nil {
		session, err := d.server.opts.Connect(ctx, "")
		if err == nil {
			err = d.refresh(ctx)
		}
		if err != nil {
			pause(ctx, again)
			continue
		}
		select {
		case _, open := <-session.Editor.Changed():
			if !open {
				d.server.lost(ctx, session.Name)
			}
		case <-d.poked:
		case <-ctx.Done():
		}
		pause(ctx, settle)
	}
}

func pause(ctx context.Context, how time.Duration) {
	select {
	case <-time.After(how):
	case <-ctx.Done():
	}
}
