// Package eval measures recall: how well memory, indexed and ranked as it is
// in use, points at what is wanted.
//
// Two measures. Cochange replays a git history: memory grows commit by
// commit, each subject is asked for as if it were a task, and the files that
// the commit touched are what should have been found. Queries asks questions
// whose answers are known, and questions that have none.
//
// What is measured is the product's own rendering, chunking, index and
// ranking, seen through the interface Index. Figures depend on nothing but
// the input and the index: no clock, no randomness, no order of goroutines.
package eval
