package terminal

import (
	"sync"
	"time"
)

// Work shows long operations on a terminal, one after the other. It is safe for
// concurrent use.
type Work struct {
	mu   sync.Mutex
	bar  *Bar // nil if no operation is in progress
	hide func()
}

// Show shows the progress of an operation; over means that it ended.
func (w *Work) Show(live *Live, what string, to Step, over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case over:
		if w.bar != nil {
			w.hide()
			w.bar = nil
		}
	case w.bar == nil:
		w.bar = &Bar{What: what, Began: time.Now()}
		w.hide = live.Show(w.bar.View)
	default:
		w.bar.Set(to)
	}
}
