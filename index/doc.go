// Package index finds what memory's Markdown says. Whatever keeps an index is a
// store (package store); by default it is one SQLite file,
// .agentflow/state/index.db (package sqlite).
//
// The index is derived. Deleting it loses nothing, and whatever is wrong
// with it (absent, damaged, written by an older or newer program) is repaired
// without being asked for, and reported once through Options.Notice. Sync
// brings it up to date with the files: it compares a listing of the folders
// first (package sources), and contents only where a listing differs. Any
// number of processes may open, sync and search one index at once; readers
// never wait for a writer.
//
// No SQL stands here, and no rule of ranking does. Search looks candidates up
// by keywords (BM25 over title, body and files) and, where there is an
// embedder, by vectors (package quantized); package rank weighs them, keeps
// noise out of prompts and puts them in order. The same index and query give
// the same hits in the same order every time.
//
// A store need not keep texts. That of a hit is then read from its place in the
// file, and checked against a sum; where the file was changed since, the chunk is
// looked for in it.
//
// Vectors are cached by the hash of the text that they are made of, for one
// embedder at a time.
//
// A fact that is struck or has expired is not in the index: it holds for each
// file when the first of its facts expires, and a Sync after that reads the
// file again though it did not change. A fact of another namespace than the
// project's is a chunk by itself, and only a query that names the namespace
// finds it.
//
// Not guaranteed: flipped bits inside the full-text structures that still
// decode are seen only when a hit they lead to is looked at; Search then
// rebuilds. And a Search between two Syncs answers from the last one, with the
// texts of its hits as they stand in their files by then.
package index
