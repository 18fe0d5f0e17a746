// Package attribution tests the watcher's report of a run, and what undo
// reverts, against an oracle. Its tests let an agent, a person and other runs
// work in one repository at the same time, and copy the work tree before and
// after every step, so that the author of each change to each path is known.
package attribution
