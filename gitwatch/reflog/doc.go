// Package reflog reads how references moved, as git logs it: the lines of
// reflogs, the trace of a run's own processes (GIT_TRACE_REFS), and the record
// of what git's post-rewrite hook told. From a reference's moves it says which
// commits were made here, which were brought from elsewhere, and which took
// another's place.
//
// Guarantees: it reads files only. A line that is not whole counts for
// nothing, for several processes append at once and one may be killed; marks
// that cannot be used begin anew, at the end.
//
// Not guaranteed: a repository that keeps no reflogs tells nothing, nor does
// one whose references are not files (reftable). Of long reflogs only the end
// is read, and the record of rewrites loses its older half when it is full.
package reflog
