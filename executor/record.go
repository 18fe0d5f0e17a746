package executor

import (
	"agentflow/executor/agent"
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// Record is the result of a run.
type Record struct {
	Entry      memory.Entry    // complete, also if it could not be recorded
	Hits       []retrieval.Hit // the part of memory in the prompt
	MemoryPath string          // the Markdown file that holds Entry; empty if there is none
	Degraded   []string        // a line for each part that failed, although the run continued
	Outcome    memory.Outcome
	Cause      agent.Cause // why it did not end well
	Reason     string      // the cause in a line for people, redacted; empty if the agent's standard error has shown it
	ExitCode   int         // the agent's; 127 if it did not start, -1 if unknown
	Signal     string      // the signal that ended the agent, as in "SIGKILL"
	// Terminated says that a signal other than the interrupt key's ended an interrupted run.
	Terminated bool
	// RecordError is why the entry is not in memory. It is nil if the entry is there, or if the
	// request excluded it.
	RecordError error
	// Dir is the run's folder, or empty if there is none.
	Dir string
}
