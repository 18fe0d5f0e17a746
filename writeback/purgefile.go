package writeback

import (
	"bytes"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/trace"
)

// wholeToPurge finds the texts of a file that is purged whole: its contents, its lost texts, and
// the texts of the kept changes, also under its former names. A file with entries or facts cannot
// be purged this way, because those have ids.
func (w purger) wholeToPurge(id string) (p purged, q trace.Quote, err error) {
	id = memory.WholeFile(items.WholeName(id))
	p, q = purged{id: id, former: map[string]bool{items.WholeName(id): true}}, trace.Of(id)
	content, found := w.View.Files.Find(items.WholeName(id))
	if found && len(markdown.Parse(content).IDs()) > 0 {
		return p, q, ErrNotFound
	}
	if found {
		p.names, p.text, p.sum = []string{items.WholeName(id)}, content, items.SumOf(content)
		q.Add(string(content))
	}
	for lost, l := range w.View.Lost {
		if items.OfWhole(lost, id) {
			found = true
			q.Add(string(l.Text))
		}
	}
	ids, err := w.Archive.KeptIDs()
	for _, change := range ids { // the newest first, so that each name leads to the one before it
		k, err := w.Archive.ReadKept(change)
		if err != nil {
			continue // PurgeKept removes it
		}
		for _, e := range k.Edits {
			if !p.former[e.File] {
				continue
			}
			found = true
			q.Add(string(e.Before), string(e.After))
			for _, other := range k.Edits {
				if e.Before == nil && other.After == nil && bytes.Equal(other.Before, e.After) {
					p.former[other.File] = true // it was moved from there
				}
			}
		}
	}
	if !found && err == nil {
		err = ErrNotFound
	}
	return p, q, err
}
