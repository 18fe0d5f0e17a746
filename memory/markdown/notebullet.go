package markdown

import (
	"strings"
	"time"

	"agentflow/memory"
)

// NotesHeading heads a day's notes.
const NotesHeading = headingPrefix + secNotes

// isNote reports whether an entry can be written as a bullet: it holds nothing but one fact.
func isNote(e memory.Entry) bool {
	if e.Kind != memory.KindNote || e.ID == "" || len(e.Facts) != 1 || e.Facts[0].ID == "" {
		return false
	}
	bare := memory.Entry{ID: e.ID, Kind: e.Kind, Time: e.Time, Branch: e.Branch, Worktree: e.Worktree, Base: e.Base, Pinned: e.Pinned, Facts: e.Facts}
	return string(Format(bare)) == string(Format(e))
}

func noteBullet(e memory.Entry) string {
	var w commentWriter
	w.value("note", e.ID)
	w.pair("noted", encodeValue(e.Time.Format(time.RFC3339), false))
	w.value("branch", e.Branch)
	w.value("worktree", e.Worktree)
	w.value("base", e.Base)
	if e.Pinned {
		w.pair("pinned", "1")
	}
	return withPairs(FormatFact(e.Facts[0]), w.b.String())
}

// withPairs adds pairs at the end of a bullet's comment.
func withPairs(bullet, pairs string) string {
	first, rest, _ := strings.Cut(bullet, "\n")
	inside, ok := strings.CutSuffix(first, commentClose)
	if !ok || pairs == "" {
		return bullet
	}
	return inside + pairs + commentClose + "\n" + rest
}
