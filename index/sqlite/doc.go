// Package sqlite keeps an index in one SQLite file with an FTS5 table. Any
// number of processes may open, read and write one file at once. Readers never
// wait for a writer.
//
// A file that is absent, damaged, or written by an older or newer program is
// repaired automatically, and the repair is reported once through
// Options.Notice. If the path cannot be written, the index is kept in memory.
//
// The index stores where the text of a chunk is in its file, not the text. The
// exception is a text that the file does not contain verbatim: see Row.Apart in
// package store.
package sqlite
