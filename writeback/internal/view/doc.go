// Package view replays the log of memory into its state: the last known contents of every file, the records that are
// not done, the entries and facts that were lost or forgotten, and who wrote the lines of notes. It also decides which
// edits came from an editor that had read a file before the last change of it.
//
// A View reads nothing but texts of the checkpoint, when they are needed. If one of them cannot be read, it is in Failed
// and nothing may be logged.
package view
