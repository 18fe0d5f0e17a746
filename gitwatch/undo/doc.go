// Package undo takes back what a run changed: what it left uncommitted, by the
// copies it kept, and what it committed, by a new commit. It also shows those
// changes as a patch, of the same contents.
//
// Guarantees: a Plan and a Patch change nothing; git works for them on scratch
// objects and a scratch index beside the repository's own. Later work is never
// lost: where a file is not as the run left it, other changes overlap, or
// somebody else's are inside, the plan refuses as a whole and says why. What is
// only possibly the run's is there only when the Request says so. Apply changes the work tree, then the
// index, then HEAD, a file at a time and each in one step, so that what a
// killed one left undone is done by the next; on an error it puts everything
// back. Nothing is staged or committed but the run's paths. A file that goes, or
// is overwritten, is kept in the run's folder where git and the run's own copies
// do not hold its bytes. No hook of git's is run.
//
// Not guaranteed: a file whose earlier contents were not kept, as large ones and
// those that hold a secret, or are not known, as where git did not look, stays as
// it is and is named. Not taken back are submodules and unresolved merges, nor
// moves of HEAD other than by commits. Another program that changes a file in
// the moment between the look at it and its change is not noticed.
package undo
