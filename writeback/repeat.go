package writeback

import (
	"context"

	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/folder"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
)

// repeats reports whether r is a note that repeats a fact in Markdown or one before it in the same
// batch. A note that was written, but not yet marked done, does not repeat itself.
func (w appender) repeats(ctx context.Context, r journal.Record, before []journal.Record) (bool, error) {
	f, ok := items.FactOfNote(r)
	if !ok {
		return false, nil
	}
	files, err := w.Folder.List()
	if err != nil {
		return false, err
	}
	may := w.Holding(ctx, digest.ByGist(f.Gist()))
	for name := range files {
		if name == memory.FeedbackFile || !may(name) {
			continue
		}
		if content, _, err := folder.Read(w.Folder.Path(name)); err == nil && w.sameFact(name, content, f, r.ID) { // a file that cannot be read is reported when it is settled
			return true, nil
		}
	}
	for _, other := range before {
		if w.sameFact(other.File, other.Text, f, r.ID) {
			return true, nil
		}
	}
	return false, nil
}

// sameFact looks in a file, or a part of one, for another valid fact that says the same as f, and
// records it as the reason why note is not written.
func (w appender) sameFact(name string, content []byte, f memory.Fact, note string) bool {
	for _, at := range markdown.Parse(content).Facts() {
		if at.ID == "" || at.ID == f.ID || !at.Live(w.Now()) || !w.Same(at.Fact, f) {
			continue
		}
		if w.Report.Repeated == nil {
			w.Report.Repeated = map[string]Standing{}
		}
		w.Report.Repeated[note] = Standing{Fact: at.Fact, File: name, StartLine: at.StartLine, EndLine: at.EndLine}
		return true
	}
	return false
}
