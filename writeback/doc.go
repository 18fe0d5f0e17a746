// Package writeback is the only writer of memory.
//
// A change is first appended to a log and synced, then made in Markdown,
// then marked done in the log. Whatever interrupts that, the next command
// finishes it from the log, exactly once. The log also knows what every
// memory file last held, hand edits included, so that a folder that vanished
// comes back. What people write by hand always wins: a file they changed is
// taken up into the log as it stands, and an entry they deleted is reported,
// never put back by itself.
//
// One writer at a time holds the lock; whoever has it also finishes what the
// others put into the log meanwhile, so many writers at once cost few syncs.
//
// Not guaranteed: an editor that rewrites a file in place (no rename) in the
// very moment of an append can mix its bytes with ours; the entry then is
// still in the log, and named as vanished. Two machines that share a folder
// over a network file system without flock are not kept apart.
package writeback
