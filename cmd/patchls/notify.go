package main

import (
	"github.com/fsnotify/fsnotify"

	"github.com/patchls/patchls/lsp/watch"
)

// notify tells written of the files that are written in folders, until what it returns is closed.
func notify(written func(path string)) (watch.Notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			select {
			case e, ok := <-w.Events:
				if !ok {
					return
				}
				if e.Op != fsnotify.Chmod {
					written(e.Name)
				}
			case _, ok := <-w.Errors: // events were lost, perhaps; each file is looked at again when it is written again
				if !ok {
					return
				}
			}
		}
	}()
	return w, nil
}
