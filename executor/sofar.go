package executor

import (
	"cmp"
	"context"
	"slices"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
	"agentflow/executor/summary"
	"agentflow/gitwatch/toolcalls"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// SoFar describes the events of an open segment until now.
type SoFar struct {
	OpenSegment
	Started time.Time
	Title   string
	Task    string
	First   bool // the session has no earlier segment
	Turns   []TurnSoFar
	Result  memory.Result // how long the agent has worked, and how many turns it took

	journal runfolder.Journal
}

// TurnSoFar is one turn of an open segment.
type TurnSoFar struct {
	Asked string            // what the user typed, redacted
	Began time.Time         // when the user sent the prompt
	Last  time.Time         // of its latest event
	Wrote []toolcalls.Write // by the agent's file tools, in their order
	Named []string          // the files that its shell commands write, according to their text
}

// ReadSoFar reads the new events of an open segment, unless another process is doing so, and
// returns a description of all its events.
func ReadSoFar(ctx context.Context, deps Deps, open OpenSegment) (SoFar, error) {
	deps = deps.withDefaults()
	catchUp(ctx, deps, open.ID)
	return ReadSegment(deps.RunsDir, open.ID)
}

// ReadSegment returns a description of the events of a segment, which may be over.
func ReadSegment(runsDir, id string) (SoFar, error) {
	_, j, err := runfolder.Read(runsDir, id)
	if err != nil || j.Segment == nil {
		return SoFar{}, cmp.Or(err, runfolder.ErrNoFolder)
	}
	s := SoFar{OpenSegment: openSegment(id, j), Started: j.Started, First: j.Segment.From == nil}
	t := summary.NewDialog(nil)
	err = Follow(runsDir, id).Next(func(ev agent.Event) {
		start := t.Open[ev.Call]
		t.Add(ev)
		s.add(ev)
		if ev.Kind == agent.ToolEnded && !ev.Failed && !start.Private && len(s.Turns) > 0 {
			call, turn := t.CallOf(start, ev), &s.Turns[len(s.Turns)-1]
			for _, write := range call.Wrote {
				write.At = ev.Time
				turn.Wrote = append(turn.Wrote, write)
			}
			turn.Named = append(turn.Named, call.Names...)
		}
	})
	s.Title, s.Task, _ = t.Asked(j.WorkTree)
	t.EndTurn()
	s.Result = memory.Result{Duration: t.Dialog.Worked.Truncate(time.Millisecond), Turns: t.Turns}
	s.journal = j
	return s, err
}

// AddEdits adds to the writes what the agent's file tools did to the texts, if the texts of one of
// them are unknown. It reads the agent's own files of the session, which may be large.
func (s SoFar) AddEdits(deps Deps) { addEdits(&s.journal, deps.withDefaults(), s.writes()) }

// ReadEdits adds to all writes what the agent's file tools did to the texts. It reads the agent's own files.
func (s SoFar) ReadEdits(deps Deps) { readEdits(&s.journal, deps.withDefaults(), s.writes()) }

func (s SoFar) writes() (writes []*toolcalls.Write) {
	for _, turn := range s.Turns {
		for i := range turn.Wrote {
			writes = append(writes, &turn.Wrote[i])
		}
	}
	return writes
}

func (s *SoFar) add(ev agent.Event) {
	if ev.Kind == agent.Asked {
		s.Turns = append(s.Turns, TurnSoFar{Asked: ev.Text, Began: ev.Time})
	}
	if n := len(s.Turns); n > 0 && ev.Time.After(s.Turns[n-1].Last) {
		s.Turns[n-1].Last = ev.Time
	}
}

// Files lists the files that the agent's file tools wrote, each once.
func (s SoFar) Files() (files []string) {
	for _, turn := range s.Turns {
		for _, w := range turn.Wrote {
			if !slices.Contains(files, w.Path) {
				files = append(files, w.Path)
			}
		}
	}
	return files
}

// Written lists the files that the agent wrote by its file tools, and those that its commands name as written.
func (s SoFar) Written() []string {
	files := s.Files()
	for _, turn := range s.Turns {
		files = append(files, turn.Named...)
	}
	return files
}

// Entry returns the segment as an entry that is not written yet.
func (s SoFar) Entry() memory.Entry {
	e := memory.Entry{ID: s.ID, Kind: memory.KindSession, Time: s.Started, Title: s.Title, Task: s.Task, Agent: s.Agent, Session: s.Session, Result: &s.Result}
	for _, path := range s.Files() {
		e.Uncommitted.Items = append(e.Uncommitted.Items, changeset.Change{Status: changeset.StatusModified, Path: path, Certainty: changeset.Shown})
	}
	return e
}
