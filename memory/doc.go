// Package memory says what AgentFlow's memory is made of: entries, facts,
// queries and hits, and how entries and facts are written as Markdown and
// read back.
//
// It is pure: no clock, no files, no writes. Three promises hold for any
// input: Parse(Format(entry)) is the entry; formatting a parsed file gives
// the file back byte for byte, whoever wrote it; and nothing inside a field
// changes the structure around it.
package memory
