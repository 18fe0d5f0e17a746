package executor

import (
	"path/filepath"
	"slices"
	"time"

	"agentflow/gitwatch/calls"
)

// addEdits adds the edits to the writes of a segment, if the texts of one of them are unknown. It
// reads them from the agent's own files of the session, because events.jsonl holds no texts of
// files. Edits that cannot be read stay unknown.
func (j *journal) addEdits(deps Deps, writes []*calls.Write) {
	unknown := func(w *calls.Write) bool { return w.Before == "" || w.After == "" }
	if j.Segment == nil || deps.Transcript == nil || !slices.ContainsFunc(writes, unknown) {
		return
	}
	type key struct{ call, path string }
	edits := map[key]*calls.Edit{}
	for _, file := range transcripts(j.Segment.Transcript) {
		from, _ := j.Segment.before().place(file)
		_, events, _ := readLines(file, from, time.Time{}, deps.Transcript(j.Agent), nil)
		for _, ev := range events {
			for _, w := range ev.Wrote {
				edits[key{ev.Call, filepath.Clean(w.Path)}] = w.Edit
			}
		}
	}
	for _, w := range writes {
		w.Edit = edits[key{w.Call, filepath.Clean(w.Path)}]
	}
}
