// Package index finds text in memory's Markdown. A store keeps the index
// (package store); the default store is one SQLite file,
// .agentflow/state/index.db (package sqlite).
//
// The index is derived: deleting it loses nothing. An index that is absent,
// damaged, or written by an older or newer program is repaired automatically,
// and the repair is reported once through Options.Notice. Sync brings the index
// up to date with the files: it first compares a listing of the folders
// (package sources), and compares contents only where a listing differs. Any
// number of processes may open, sync and search one index at once. Readers
// never wait for a writer.
//
// This package contains no SQL and no ranking rules. Search looks candidates up
// by keywords (BM25 over title, body and files) and, if there is an embedder,
// by vectors (package quantized). Package rank weighs the candidates, keeps
// noise out of prompts and orders the hits. The same index and query give the
// same hits in the same order every time.
//
// A store need not keep texts. Without a stored text, a hit's text is read from
// its place in the file and verified with a checksum. If the file changed,
// Search looks for the chunk in the new contents.
//
// Vectors are cached by the hash of the text that they are made from, for one
// embedder at a time.
//
// Struck and expired facts are not in the index. For each file the index
// records when the first of its facts expires, and a Sync after that time reads
// the file again even if it did not change. A fact of another namespace than
// the project's is a separate chunk, and only a query that names the namespace
// finds it.
//
// Not guaranteed: flipped bits inside the full-text structures that still
// decode are noticed only when a hit that they lead to is read; Search then
// rebuilds the index. A Search between two Syncs answers from the last Sync,
// but returns the current texts of its hits.
//
// A file is indexed in one transaction, with its vectors if the embedder is in
// this process. Another embedder is asked outside of transactions, for a
// limited time. Texts that have no vector then are searched by keywords, and
// the next sync completes them. SyncSome takes up changes for half a second and
// reports how many files are left.
package index
