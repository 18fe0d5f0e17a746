package executor

import (
	"path/filepath"
	"slices"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
	"agentflow/gitwatch/toolcalls"
)

// addEdits adds the edits to the writes of a segment, if the texts of one of them are unknown.
func addEdits(j *runfolder.Journal, deps Deps, writes []*toolcalls.Write) {
	unknown := func(w *toolcalls.Write) bool { return w.Before == "" || w.After == "" }
	if slices.ContainsFunc(writes, unknown) {
		readEdits(j, deps, writes)
	}
}

// readEdits adds the edits to the writes of a segment. It reads them from the agent's own files of the
// session, because events.jsonl holds no texts of files. Edits that cannot be read stay unknown.
func readEdits(j *runfolder.Journal, deps Deps, writes []*toolcalls.Write) {
	if j.Segment == nil || deps.Transcript == nil || len(writes) == 0 {
		return
	}
	edits := map[editKey]*toolcalls.Edit{}
	for _, w := range writes {
		edits[keyOf(*w)] = nil
	}
	room := maxEdits
	for _, file := range transcripts(j.Segment.Transcript) {
		from, _ := before(j.Segment).Place(file)
		decoder := &editDecoder{deps.Transcript(j.Agent), edits, &room}
		_, _, _ = readLines(file, from, time.Time{}, decoder, nil)
	}
	for _, w := range writes {
		w.Edit = edits[keyOf(*w)]
	}
}

// maxEdits limits the texts of the edits that are in memory at once, in bytes.
const maxEdits = 64 << 20

// editKey identifies a write.
type editKey struct{ call, path string }

func keyOf(w toolcalls.Write) editKey { return editKey{w.Call, filepath.Clean(w.Path)} }

// editDecoder collects the edits of the writes with keys in edits, as long as there is room, and
// drops the events.
type editDecoder struct {
	agent.Decoder
	edits map[editKey]*toolcalls.Edit
	room  *int
}

// Feed returns no events.
func (d *editDecoder) Feed(p []byte) []agent.Event {
	for _, ev := range d.Decoder.Feed(p) {
		for _, w := range ev.Wrote {
			key := editKey{ev.Call, filepath.Clean(w.Path)}
			if _, wanted := d.edits[key]; !wanted || w.Edit == nil || w.Edit.Size() > *d.room {
				continue
			}
			*d.room -= w.Edit.Size()
			d.edits[key] = w.Edit
		}
	}
	return nil
}

// withoutEdits decodes events without the edits of their writes, which hold the texts of files: all
// that was added to a session's file is in memory at once.
type withoutEdits struct{ agent.Decoder }

// Feed drops the edits.
func (d withoutEdits) Feed(p []byte) []agent.Event {
	events := d.Decoder.Feed(p)
	for _, ev := range events {
		for i := range ev.Wrote {
			ev.Wrote[i].Edit = nil
		}
	}
	return events
}
