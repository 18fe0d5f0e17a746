// Package open opens a memory (Open), or the memories of a team's server (OpenTeam), and connects app with the
// packages below it that opening needs.
//
// Open reads and creates nothing. An operation that opens a repository calls one of two functions of this package
// (app.Topics). Operations that write, and those that report the state, complete all that crashed commands left: the
// log, folders of runs and sessions, files of an undo, purges, and the commits that hooks noted. Operations that
// only read complete the log and the rest as far as reading needs it. A failure of this is reported, and the
// operation continues.
//
// Not guaranteed: unfinished work that another process holds a lock on is left to that process.
package open

import (
	"context"
	"time"

	"agentflow/app"
	"agentflow/internal/agentlimit"
	"agentflow/internal/indexpool"
)

// Option configures a Memory.
type Option func(*app.Memory)

// LockWait sets how long a write waits while others write. The default is 10 s for appends and 0.5 s for edits, because
// a person waits for those. The goroutines of one process get their turns in the order of their calls.
func LockWait(wait time.Duration) Option {
	return func(m *app.Memory) { m.LockWait, m.EditWait = wait, wait }
}

// Open returns the memory of the repository that contains dir, an absolute path. It reads and creates nothing yet. If
// there is no repository or no memory, the operations that need one return an error of KindNoPlace.
func Open(_ context.Context, dir string, env app.Env, options ...Option) (*app.Memory, error) {
	access := app.Access{Dir: dir, LockWait: 10 * time.Second, Indexes: indexpool.NewPool(), Decoded: &indexpool.Decoded{}, Topics: wholeMemory()}
	m := &app.Memory{Access: access, Env: env, Values: &app.Values{}, Agents: &agentlimit.Writes{}}
	for _, change := range options {
		change(m)
	}
	return m, nil
}
