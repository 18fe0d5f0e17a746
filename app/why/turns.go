package why

import (
	"slices"
	"strings"
	"time"

	"agentflow/app/session"
	"agentflow/executor"
	"agentflow/gitwatch/toolcalls"
	"agentflow/memory"
	"agentflow/prompt"
)

// turns finds the prompts of sessions after which the file was written, while the folders of their
// segments are kept.
type turns struct {
	*question
	read map[string]*written // by the id of an entry
}

// written has the turns of one segment that wrote the file.
type written struct {
	executor.SoFar
	at    []int     // of Turns
	until time.Time // the end of the first of them: what memory put in front of the session later was no reason for it
	last  string    // what askedFor returned for the line before
	edits bool      // they were read
}

// of reads the segment of an entry, once. If no turn names the file as written, the first one counts for until.
func (w *turns) of(id string) *written {
	if known := w.read[id]; known != nil {
		return known
	}
	s, _ := executor.ReadSegment(w.mem.Runs(), id) // an error: it is a run, which is given memory before it begins
	found := &written{SoFar: s, until: time.Now()}
	for i, turn := range s.Turns {
		wrote := w.wroteIn(s.WorkTree, turn)
		if i == 0 || wrote && len(found.at) == 0 {
			found.until = turn.Last
		}
		if wrote {
			found.at = append(found.at, i)
		}
	}
	w.read[id] = found
	return found
}

// minLine is the length from which a line, in bytes, shows which edit put it in.
const minLine = 4

// askedFor returns the prompt after which a session wrote a line of the file. It is empty if that is unknown.
func (w *turns) askedFor(id, line string) string {
	if !memory.IsID(id) {
		return ""
	}
	found := w.of(id)
	switch {
	case len(found.at) == 1:
		return found.asked(found.at[0])
	case len(found.at) == 0 || len(strings.TrimSpace(line)) < minLine:
		return found.last
	case !found.edits:
		found.ReadEdits(session.Deps(w.ctx, w.mem))
		found.edits = true
	}
	var by []string
	for _, i := range found.at {
		adds := func(write toolcalls.Write) bool {
			return write.Edit != nil && w.isAt(found.WorkTree, write.Path) && write.Edit.Adds(line)
		}
		if asked := found.asked(i); !slices.Contains(by, asked) && slices.ContainsFunc(found.Turns[i].Wrote, adds) {
			by = append(by, asked)
		}
	}
	switch {
	case len(by) == 1:
		found.last = by[0]
	case !slices.Contains(by, found.last): // otherwise it was written together with the line before
		found.last = ""
	}
	return found.last
}

// asked returns the prompt of a turn, or of the turn that it continues.
func (s *written) asked(turn int) string {
	for turn > 0 && prompt.IsContinuation(s.Turns[turn].Asked) {
		turn--
	}
	return s.Turns[turn].Asked
}
