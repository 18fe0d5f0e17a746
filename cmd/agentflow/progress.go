package main

import (
	"sync"
	"time"

	"agentflow/app"
	"agentflow/internal/terminal"
)

// work is a long work that a terminal shows. Works come one after the other.
type work struct {
	mu   sync.Mutex
	bar  *terminal.Bar // nil: none goes on
	hide func()
}

// show shows how far the work is.
func (w *work) show(live *terminal.Live, p *app.Progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case p.Over:
		if w.bar != nil {
			w.hide()
			w.bar = nil
		}
	case w.bar == nil:
		w.bar = &terminal.Bar{What: p.What, Began: time.Now()}
		w.hide = live.Show(w.bar.View)
	default:
		w.bar.Set(terminal.Step{Done: p.Done, Total: p.Total, Unit: p.Unit, Text: p.Text})
	}
}
