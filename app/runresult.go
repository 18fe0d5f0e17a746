package app

import (
	"errors"

	"agentflow/app/api"
	"agentflow/writeback"
)

// RunResult is the result of a run.
type RunResult struct {
	Run         api.Run       // its JSON object, with Hits, WorktreePath and Hints
	Reason      string        // in a line, why the run did not end well; empty if it did, or if the agent's output says it
	Terminated  bool          // a signal other than that of the interrupt key ended it
	NotRecorded bool          // the entry is not in Markdown; without Lost, it waits in the log for the next command
	Lost        string        // the entry as Markdown if no file could store it: the caller must not lose it
	Worktree    *WorktreeLeft // of a run in a separate working tree; nil for others
	Unchanged   bool          // git was compared with its state before the run, and nothing had changed
	MemoryFile  string        // file of the entry, relative to the folder of the Memory; empty if there is none
	Tools       []string      // the agent's tool calls, with number and arguments, in a few lines
	Degraded    []string
}

// IsPending reports whether an error means that a later command writes the entry.
func IsPending(err error) bool {
	var pending *writeback.PendingError
	return errors.As(err, &pending)
}
