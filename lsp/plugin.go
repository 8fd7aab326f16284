package lsp

// methodListening is the notification of a socket to a plugin.
const methodListening = "patchls/listening"

// Announce tells the editor's plugin on which socket agents are let in, so that it can
// hand it on to its terminals; "" when they are not any more.
func (d *Endpoint) Announce(socket string) {
	if !d.s.client.Load().Plugin.Listening {
		return
	}
	d.s.rpc.Notify(methodListening, struct {
		Socket string `json:"socket,omitempty"` // never null (hazard: null-member)
	}{socket})
}

// called is what the caller says that it is called.
func (s *caller) called() string {
	if s.name == "" {
		return s.client.Load().Name
	}
	return s.name
}
