// Package history reads the commits that a repository has: their names, what
// they changed, and the entries they get in memory.
//
// Guarantees: it asks the git program and nothing else, reads along as git
// writes, and no setting of the user changes an answer. It never uses the
// network. Commits come in the order that was asked for, none before one it
// builds on. An entry's id follows from its commit's, so that nobody writes
// it twice.
//
// Not guaranteed: of a merge only what it resolved itself is told. Where a
// shallow history ends, and in what a partial clone left out, changes or their
// counts are not known, and are said to be so or left out.
package history
