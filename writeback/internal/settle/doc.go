// Package settle logs edits that people made by hand, and restores a memory folder that vanished.
//
// Guarantees: an edit by hand is copied into the log as it is. An entry that it removed is logged as vanished, and never
// put back, except that an editor who saved a text that it had read before an append loses nothing of the append. A
// folder that vanished gets all files back that the log knows.
package settle
