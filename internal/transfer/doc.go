// Package transfer exports memory and plans imports. It writes and reads JSON Lines and Markdown,
// reads the notes of other tools, and plans which of them to add to memory. It is pure: it changes
// no files, but returns the changes as edits.
//
// # JSON Lines
//
// A line is one JSON object with "v": 1 and a "kind": fact, run, session, commit, note, file for a
// whole file, or entry for an entry of another kind. docs/json.md lists the fields, which are those
// of memory.Entry and memory.Fact. Fields that are empty, 0 or false are left out, except v, kind
// and text. If the fields cannot express everything, as with bytes that are not UTF-8 or text that
// a person put inside an entry, the line also has the field markdown, which then takes precedence.
// A fact without an id is hand-written text.
//
// # Whole files
//
// A file may hold more than entries and facts: headings, prose, the notes of the memory tool. An
// export without a filter writes such a file whole, and then its entries and facts. An import adds
// the whole file if memory has no file of that name. Otherwise it merges the entries and facts like
// all others.
//
// # What comes in
//
// Import adds and never overwrites. An id that memory already has, also as the id of a fact that
// was merged into another, is left as it is. A fact that was forgotten, by its id or by its text
// (memory.TextID), is not brought back. A fact is skipped if memory has one with the same text
// (words.SameText) in the same namespace. Text without an id gets an id that is computed from its
// words, so that a second import adds nothing: memory.HashID of "fact", the namespace,
// words.SameText of the text, and the day or "". A line that cannot be read is reported, and the
// others are imported.
package transfer
