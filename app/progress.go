package app

import (
	"fmt"

	"agentflow/index"
)

// bar tells the listener how far a long work is.
type bar struct {
	tell func(Event)
	what string
}

func (o *operation) newBar(what string) *bar {
	b := &bar{o.tell, what}
	b.show(Progress{})
	return b
}

// files is for index.Options.Progress.
func (b *bar) files(p index.Progress) {
	b.show(Progress{Done: p.Bytes, Total: p.AllBytes, Unit: "bytes", Text: fmt.Sprintf("%d/%d files", p.Files, p.AllFiles)})
}

// chunks is for index.DB.EmbedPending.
func (b *bar) chunks(done, total int) { b.count("chunks", done, total) }

// commits is for backfill.
func (b *bar) commits(done, total int) { b.count("commits", done, total) }

func (b *bar) count(unit string, done, total int) {
	b.show(Progress{Done: int64(done), Total: int64(total), Unit: unit, Text: fmt.Sprintf("%d/%d %s", done, total, unit)})
}

func (b *bar) show(p Progress) {
	p.What = b.what
	b.tell(Event{Kind: EventProgress, Progress: &p})
}

// end says that the work is over.
func (b *bar) end() { b.show(Progress{Over: true}) }
