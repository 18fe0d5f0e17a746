// Package transfer carries memory out of a repository and into one: it writes
// and reads JSON Lines and Markdown, reads the notes of other tools, and plans
// what of them is to be added. It is pure: it reads what it is given, and what
// it wants changed it returns as edits.
//
// # JSON Lines
//
// A line is one JSON object with "v": 1 and a "kind": fact, run, session, commit or note
// (entry, where somebody gave it another). docs/json.md has the fields, those
// of memory.Entry and memory.Fact. Empty, 0 and false values are left out, but
// for v, kind and text. A line whose fields cannot say all, as bytes that are
// not UTF-8 or text that a person put inside an entry, also has markdown, which
// counts then. A fact without an id is text that somebody wrote by hand.
//
// # Whole files
//
// Where entries and facts cannot say all that a file holds, such as headings, prose
// and the notes of the memory tool, an export without a filter has the whole file
// first, and then what it says. A memory without a file of that name gets it as it
// stood; in another one what the file says is merged like everything else.
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
