package main

import (
	"github.com/fsnotify/fsnotify"

	"github.com/patchls/patchls/lsp/watch"
)

// notifier tells of files that are written in folders.
type notifier struct {
	*fsnotify.Watcher
	ended chan struct{} // closed when nothing is told any more
}

// notify returns a notifier that calls written with the path of each file that is written in its folders,
// until it is closed.
func notify(written func(path string)) (watch.Notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	n := &notifier{w, make(chan struct{})}
	go n.tell(written)
	return n, nil
}

func (n *notifier) tell(written func(path string)) {
	defer close(n.ended)
	for {
		select {
		case e, ok := <-n.Events:
			if !ok {
				return
			}
			if e.Op != fsnotify.Chmod {
				written(e.Name)
			}
		case _, ok := <-n.Errors: // an event may be lost; the next one of that file makes up for it
			if !ok {
				return
			}
		}
	}
}

// Close ends it, and returns when nothing is told any more.
func (n *notifier) Close() error {
	err := n.Watcher.Close()
	<-n.ended
	return err
}
