// Package executor takes one agent run from recall to record.
//
// A run is Prepare (recall, prompt), Begin (snapshot, journal), Execute (the
// agent, watched), Finish (what changed, what was said, the entry). Run does
// all of it; Recover finishes what a crash left behind, from the run's folder.
//
// Guarantees. Whatever of memory fails, the agent runs and its outcome comes
// back, with each failure said once in Record.Degraded. A run whose journal
// was written is recorded exactly once, by its own process or by a later one.
// Text is redacted before it is written, and a cut never leaves half of a
// secret. Two things stand raw in a run's folder while it goes on, and not
// after it is recorded: the Workspace's copies of the user's own files, and the
// ref trace that git writes, which is redacted then. When Run returns, no process of the run
// is alive.
//
// Not guaranteed. Text that a program said in its last two seconds, and not
// yet in its events, is lost with our own process. A process that removed
// AGENTFLOW_RUN_ID from its environment and left the agent's process tree
// cannot be found after a crash.
package executor
