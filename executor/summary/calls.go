package summary

import (
	"path/filepath"
	"slices"
	"time"

	"agentflow/executor/agent"
	"agentflow/gitwatch/toolcalls"
)

// eventDelay is the maximum time from the beginning of a tool call until its event reaches us,
// on a machine that is not overloaded: the agent's output is read every 4 ms.
const eventDelay = 30 * time.Millisecond

// CallOf makes one call of a tool's two events. If a file tool failed, the call wrote no file.
func (t *Summary) CallOf(started, ended agent.Event) toolcalls.Call {
	began := started.Time.Add(-eventDelay)
	if t.Dialog != nil {
		began = started.Time // in a session's file the time is by the agent's clock
	}
	call := toolcalls.Call{
		Began: began, Ended: ended.Time, Names: slices.Concat(started.Names, ended.Names),
		Saw: started.Seen, Left: ended.Seen, Background: started.Background, Git: started.Git,
	}
	if !started.Writes || ended.Failed {
		return call
	}
	for _, path := range started.Paths {
		w := toolcalls.Write{Path: path, Private: started.Private, Call: ended.Call}
		for _, result := range ended.Wrote {
			if filepath.Clean(result.Path) == filepath.Clean(path) {
				w.Before, w.After = result.Before, result.After
			}
		}
		call.Wrote = append(call.Wrote, w)
	}
	return call
}

// AllCalls returns a run's calls. A call that was open when the agent ended, at the given time,
// ended then; the zero time leaves its end open. It is unknown whether the tool of an open call
// wrote the file that it names.
func (t *Summary) AllCalls(ended time.Time) []toolcalls.Call {
	all := slices.Clone(t.Calls)
	for _, started := range t.Open {
		if started.Reads {
			continue
		}
		call := t.CallOf(started, agent.Event{Time: ended})
		call.Names, call.Wrote = append(call.Names, started.Paths...), nil
		all = append(all, call)
	}
	return all
}
