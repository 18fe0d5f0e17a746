// Package proc starts one agent and answers for every process that comes of it.
//
// The agent gets a session and process group of its own, its output streams
// through pipes, or a spool, that this package owns, and when it has ended (or is to end)
// everything it left behind is ended too: children in sessions of their own,
// daemons that forked twice, processes started while the ending goes on.
//
// A process belongs to a run when it descends from the agent, when its
// environment holds AGENTFLOW_RUN_ID with the run's tag, when it was seen to
// belong before, or when it was orphaned out of a session of the run. A process
// of another run, or one that other code of this program started, is never
// touched; nor is this program or one of its ancestors.
//
// Guaranteed on Linux: this program becomes a child subreaper, so orphans stay
// in sight; the agent is killed when this program is; no signal goes to a
// process whose id was used again (process descriptors and start times). On
// macOS there is neither: after a SIGKILL of this program EndTagged does it all.
// On Windows a job object holds the run and ends it with this program.
//
// Not guaranteed: a process that drops its environment, opens a session of its
// own and loses its parent between two looks (half a second apart while the
// agent runs) is not seen. Nor is one ended that this user may not signal.
package proc
