package main

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"

	"github.com/patchls/patchls/lsp/watch"
)

// notifier reports the files that are written in folders.
type notifier struct {
	*fsnotify.Watcher
	running sync.WaitGroup // of the goroutine that reports
}

// notify returns a notifier that calls written with the path of each file that is written in its folders,
// until it is closed.
func notify(written func(path string)) (watch.Notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	n := &notifier{Watcher: w}
	n.running.Go(func() { n.tell(written) })
	return n, nil
}

func (n *notifier) tell(written func(path string)) {
	for {
		select {
		case e, ok := <-n.Events:
			if !ok {
				return
			}
			if e.Op != fsnotify.Chmod {
				written(e.Name)
			}
		case err, ok := <-n.Errors:
			if !ok {
				return
			}
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				n.tellAll(written)
			}
		}
	}
}

// tellAll reports every file, since it is not known which ones were written.
func (n *notifier) tellAll(written func(path string)) {
	for _, folder := range n.WatchList() {
		files, _ := os.ReadDir(folder) // a removed file was not written
		for _, f := range files {
			written(filepath.Join(folder, f.Name()))
		}
	}
}

// Close ends the notifier, and returns after the last report.
func (n *notifier) Close() error {
	err := n.Watcher.Close()
	n.running.Wait()
	return err
}
