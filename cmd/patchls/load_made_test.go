package main

import (
	"math/rand/v2"
	"sync"
)

// loadMade are the newest edits of agents.
type loadMade struct {
	mu  sync.Mutex
	all []*loadEdit
}

// loadEdit is an edit that was answered, and the documents that it is about.
type loadEdit struct {
	id   string
	docs []*loadDoc
}

// maxLoadMade is how many of the newest edits an agent may still take back.
const maxLoadMade = 100

func (m *loadMade) add(e *loadEdit) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all = append(m.all, e); len(m.all) > maxLoadMade {
		m.all = m.all[1:]
	}
}

// any returns one of them and forgets it, nil if there is none.
func (m *loadMade) any(r *rand.Rand) *loadEdit {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.all) == 0 {
		return nil
	}
	i := r.IntN(len(m.all))
	e := m.all[i]
	m.all = append(m.all[:i:i], m.all[i+1:]...)
	return e
}
