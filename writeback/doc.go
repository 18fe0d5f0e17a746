// Package writeback is the only writer of memory.
//
// A change is first appended to a log and synced, then made in Markdown, then marked done in the
// log. If it is interrupted at any point, the next command finishes it from the log, exactly once.
// The log also records the last contents of every memory file, hand edits included, so that a
// folder that vanished can be restored. Edits by hand always win: a file that a person changed is
// copied into the log as it is, and an entry that they deleted is reported, but never put back
// automatically.
//
// One writer at a time holds the lock. It also finishes the records that others put into the log in
// the meantime, so many concurrent writers cost few syncs.
//
// A writer is one turn, which has the lock, the state of the log and the list of seen files
// (package turn), with the parts that write in this turn. The settler logs edits that people made by
// hand (package settle). The appender writes entries to Markdown. The amender pins and removes single
// ones. The changer makes changes of many files, and the purger removes texts everywhere. Folder and
// Archive need no turn: they access the Markdown files and the changes that Undo can take back.
//
// Not guaranteed: an editor that rewrites a file in place (no rename) at the very moment of an
// append can mix its bytes with ours. The entry is then still in the log and reported as vanished.
// Two machines that share a folder over a network file system without flock do not exclude each
// other.
//
// A change of many files is planned over a Snapshot, without I/O, and made by Apply. One record
// in the log contains all files as they will be. A file is replaced only if it contains what the
// plan read. A change that a crash interrupted is completed by the next command, or taken back
// if one of its files was edited in the meantime. Revise then plans again. A change that names
// its command is kept with its files before and after: the last ten of each command, so that
// changes by agents do not displace those of people. Undo removes it from the current files by
// facts and lines, as another change. A person who saves, within ten seconds, a file that they
// had read before a change loses no edits, removes no item that was moved into the file since,
// and brings back no text that was forgotten.
//
// The checkpoint of the log is read in parts: its end, and only the files that are needed, which
// the index names for an id. A purge searches all of it. Links below the memory folder are not
// followed. In the folder notes, the log knows which lines no change of an agent added. These
// are a person's, and a change of an agent that would remove one is refused.
package writeback
