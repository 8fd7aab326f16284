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

// notify tells written of the files that are written in folders, until what it returns is closed.
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
		case _, ok := <-n.Errors: // events may have been lost; a file is looked at when it is written again
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
