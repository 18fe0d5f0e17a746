package options

import (
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/writeback/internal/journal"
	"context"
	"io"
	"time"
)

// Options set where memory is and how long its writer waits.
type Options struct {
	Memory   string                      // the folder of Markdown files; its parent is created too
	State    string                      // log, lock, checkpoint and run folders
	Fallback string                      // takes the log when State cannot be written; empty: none
	Now      func() time.Time            // nil: time.Now
	Rand     io.Reader                   // for new ids; nil: crypto/rand
	LockWait time.Duration               // how long an append waits for the lock; 0: 10 s
	EditWait time.Duration               // how long an editing command waits; 0: 500 ms, at most LockWait
	Command  string                      // the command that this process runs, shown to processes that wait for its lock
	Same     func(a, b memory.Fact) bool // reports, for Remember, whether two facts say the same; it must be false if their Gists differ; nil: it compares the Gists

	// Holding returns a function that reports whether a file, by its name below Memory, may hold
	// one of these names. It may err only by returning true. Nil: all files may.
	Holding func(ctx context.Context, names ...digest.Name) func(file string) bool

	// Untrusted reports whether a file below Memory came with the repository and was not accepted.
	// Such files are neither read nor written, and do not count as missing. Nil: none.
	Untrusted func(file string) bool
}

// Place is the place of one memory: Options without gaps, and values that only tests set.
type Place struct {
	Options
	Sys       journal.System // the file system
	RotateAt  int64          // see the constant RotateAt
	MostTaken int64          // see the constant MaxTaken
}

// MaxTaken limits the bytes of a memory file that the log copies.
const MaxTaken = 32 << 20

// RotateAt is the least size at which the log is folded into a checkpoint, in bytes. The log may
// grow to a quarter of the checkpoint if that is more, so that writing checkpoints costs a bounded
// share of all writing.
const RotateAt = 1 << 20

// EditWait limits an editing command's wait for the lock by default: longer than an append
// takes, shorter than a person notices.
const EditWait = 500 * time.Millisecond
