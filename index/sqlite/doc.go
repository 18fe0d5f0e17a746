// Package sqlite keeps an index in one SQLite file with an FTS5 table. Any number of
// processes may open, read and write one file at once; readers never wait for a
// writer.
//
// Whatever is wrong with the file (absent, damaged, written by an older or newer
// program) is repaired without being asked for, and reported once through
// Options.Notice. A place that cannot be written gives way to an index in memory.
//
// No text of a file is kept, but where it stands in there.
package sqlite
