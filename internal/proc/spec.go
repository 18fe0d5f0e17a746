package proc

import (
	"io"
	"time"
)

// TagVar names the environment variable that holds the run's tag in every
// process of the run.
const TagVar = "AGENTFLOW_RUN_ID"

// Spec says what to start and how.
type Spec struct {
	// Argv is the program and its arguments. A name without a slash is looked
	// up in the PATH of Env; a relative path is taken from Dir.
	Argv []string
	// Dir is the working directory; empty means this program's own.
	Dir string
	// Env is the whole environment as "name=value"; nil means this program's own.
	Env []string
	// Tag is the run's id. Start puts it into the environment; empty leaves the
	// run without a tag, and then only descent tells its processes.
	Tag string
	// Stdin is fed to the agent and then closed; nil is an empty input. An agent
	// that does not read it is no error.
	Stdin []byte
	// Stdout and Stderr are each written from one goroutine, at most 64 KiB at a
	// time; nil discards. One writer for both has to bear concurrent calls.
	Stdout, Stderr io.Writer
	// Spool makes the agent's standard output a file in memory (Linux) or
	// without a name, read as it grows, for agents that lose what a full pipe
	// did not take when they exit. Where there is no such file, it is a pipe.
	Spool bool
	// Grace is the time between asking a process to end and killing it.
	Grace time.Duration
}

// Exit says how the agent ended.
type Exit struct {
	// Code is the exit code; 128 + the signal's number, as shells have it, when
	// a signal ended the agent.
	Code int
	// Signal is the name of that signal ("SIGKILL"); empty otherwise.
	Signal string
}

// Ended is a process that was ended.
type Ended struct {
	PID int
	// Command is the cleaned and shortened argv, at most 80 runes.
	Command string
	// Killed tells that asking was not enough.
	Killed bool
}
