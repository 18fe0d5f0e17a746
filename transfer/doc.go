// Package transfer carries memory out of a repository and into one: it writes
// and reads JSON Lines and Markdown, reads the notes of other tools, and plans
// what of them is to be added. It is pure: it reads what it is given, and what
// it wants changed it returns as edits.
//
// # JSON Lines
//
// A line is one JSON object with "v": 1 and a "kind".
//
// An entry has the kind run, commit or note (entry, where somebody gave it
// another), and: file id time title agent model session branch worktree base
// commits[{id,subject}] patch[] runs[] pinned task
// changes|uncommitted|meanwhile{items[{status,path,old_path,added,deleted,counted,files,note,blob}],unread}
// result{outcome,success,exit_code,duration,turns,cost_usd} summary errors[]
// denials[] facts[] remarks[].
//
// A fact has, inside an entry or with the kind fact: id type importance
// confidence tags[] category key namespace supersedes struck superseded_by
// merged[{id,source,commit,created}] source commit created updated expires
// text. A line of its own also has: file, and day (2026-11-21) when it belongs
// to one and not to MEMORY.md. Without an id it is text that somebody wrote by
// hand.
//
// Empty, 0 and false values are left out, but for v, kind and text. Times are
// RFC 3339, a duration is as Go writes it (1m12s). A line whose fields cannot
// say all, as bytes that are not UTF-8 or text that a person put inside an
// entry, also has markdown, which counts then.
//
// # What comes in
//
// Import adds and never overwrites. An id that stands in memory, also as that
// of a fact merged into another, stays as it is. A fact that was forgotten, by its
// id or by its text (memory.TextID), is not brought back. A fact whose text
// stands in memory already (words.SameText, in the same namespace) is passed
// over. Text without an id gets one that follows from its words, so that
// importing twice is importing once: memory.HashID of "fact", the namespace,
// words.SameText of the text, and the day or "". A line that cannot be
// read is reported, and the rest is taken.
package transfer
