// Package executor takes one agent run from recall to record.
//
// A run is Prepare (recall, prompt), Begin (snapshot, journal), Execute (the agent, with
// limits), Finish (changes, messages, the entry). Run does all of these. Recover finishes the
// runs that a crash left behind, from their folders.
//
// Guarantees. If a part of memory fails, the agent runs all the same, Run returns its outcome,
// and Record.Degraded names each failure once. A run with a complete journal is recorded
// exactly once, by its process or by a later one. Text is redacted before it is written, and a
// cut never leaves half of a secret. During a run its folder holds two kinds of unredacted
// files: the Workspace's copies of the user's files, and the ref trace that git writes. When
// the run is recorded, the copies are removed and the trace is redacted. When Run returns, no
// process of the run is alive.
//
// Not guaranteed. Text that a program said in its last two seconds, or that is not redacted
// yet, exists only in memory and is lost if our process dies. A program does not wait for
// redaction, unless it is maxBacklog ahead. After a crash, Recover cannot find a process that
// removed AGENTFLOW_RUN_ID from its environment and left the agent's process tree.
//
// Begin and Finish share only the run's folder, so a later command can finish the run of a
// killed process. The folder keeps the run's changes, edits.zip: the paths before and after, and
// the contents that git does not have.
//
// A session that was not started by Run becomes entries in segments. A segment is a run folder
// that no process holds for long, so undo, attribution and retention need no other case. The
// order of the agent's transcript counts, not its clock: a line is read once, and a killed
// process leaves no event twice. A segment without anything to record is removed. One without
// changes is recorded if its answer decides or explains something that the memory it was given
// does not say. A due segment is first marked as ended, then the next one begins, then its entry
// is recorded. If a process dies in between, the next hook or command continues there.
//
// An entry names the tests and linters that the agent ran, each by its last result. If the exit
// status of a shell command does not show the result of a test in it (go test | tail, npm test
// || true), nothing is claimed, and an earlier claim is withdrawn.
//
// The package reaches memory and git only through the interfaces Recaller, Recorder and
// Workspace. The journal is written before the agent starts. A lock of the operating system
// on the run's folder is held as long as its process lives, and Recover leaves a locked
// folder to that process.
//
// An entry is dated by our clock at the start of its run or segment, and never later than the
// time at which it is written. A segment ends at the hook that ended it: later prompts, and
// later moves of references, belong to the next one. A prompt that interrupts the agent
// continues the turn. The texts of edits are read from the transcript to attribute changes,
// and are not stored.
package executor

import (
	"context"
)

// Run does one complete run: recall, prompt, begin, the agent, verify, finish, record. It
// returns an error only if no agent was started (see Begin). The Record says how a run went,
// and which parts of memory failed.
func Run(ctx context.Context, deps Deps, req Request) (Record, error) {
	r, err := Begin(ctx, deps, req)
	if err != nil {
		return Record{}, err
	}
	r.Execute(ctx)
	return r.Finish(ctx), nil
}
