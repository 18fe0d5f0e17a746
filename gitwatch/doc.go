// Package gitwatch sees what a run changed in a git repository: it takes a
// snapshot before, and says afterwards which commits, files and work-tree
// edits are the run's, which moved beside it, and what could not be read.
//
// Guarantees: it never writes to the repository or its index (contents it
// needs later are copied into the run's own folder); only AddWorktree and a
// LinkedTree's Remove do, through the git program, and touch no other work tree. Every list it returns
// is one of three answers, changed, clean or could not read, and a failed
// read is never the answer "clean". It claims for a run only what the run
// can be shown to have changed: commits from the ref trace of the run's own
// process tree, files the agent reported, and, where no other run was active
// in the work tree, files that nobody had changed before.
//
// Not guaranteed: reftable, SHA-256, split and sparse indexes cannot be read
// and are said to be so. Files over 10 MB are compared by size and time, not
// by lines. Nested repositories are not entered.
//
// A Repo may be used by several goroutines: each call opens the object store
// anew, because an open handle does not see packs that git writes later.
package gitwatch
