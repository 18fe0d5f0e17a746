// Package turn is one turn at writing memory: it holds the lock, and the state of the log and of the files that was read
// under it. The other writers work in a Turn.
//
// Guarantees: a record that Log accepted is replayed into the View. Rotating the log counts no record twice, and loses
// none that others append. If State cannot be written, the log is in Fallback, and a later turn takes it over. If neither
// can be written, Markdown is written without a lock, and that is reported.
package turn
