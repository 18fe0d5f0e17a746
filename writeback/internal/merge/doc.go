// Package merge merges edits of a Markdown file that begin at the same text. It does no I/O.
//
// Guarantees: facts and lines are merged whole, and a place that both sides changed in different ways is never decided.
//
// Not guaranteed: the blank lines of the merged text are those of either side.
package merge
