// Package index is the only owner of the search index over memory's
// Markdown: one SQLite file with an FTS5 table, .agentflow/state/index.db.
//
// The index is derived. Deleting it loses nothing, and whatever is wrong
// with it (absent, damaged, written by an older or newer program) is put
// right by itself and said once through Options.Notice. Sync brings it up to
// date with the files: a folder listing is compared first, contents only
// where a listing differs. Any number of processes may open, sync and search
// one index at once; readers never wait for a writer.
//
// Search is by keywords (BM25 over title, body and files) and by vectors, where
// there is an embedder; both are shares of their best, added up, and weighed by
// age, importance and what was said of them (rank.go). Candidates then vote for
// the files they name, and are picked for relevance and files not seen yet
// (spread.go). A relevance gate keeps noise out of prompts (gate.go). Every
// constant stands in ranking.go. The same index and query give the same hits in
// the same order every time.
//
// Vectors are cached by the hash of what they are made of, for one embedder at
// a time, and compared first by their signs, in blocks, then by themselves
// (nearest.go).
//
// A fact that is struck or has expired is not in it: of each file it is known
// when the first of its facts expires, and a Sync after that reads the file
// again though it did not change. A fact of another namespace than the
// project's is a chunk of its own, and is found by who asks for its namespace.
//
// What is not guaranteed: flipped bits inside the full-text structures that
// still decode are seen only when a hit they lead to is looked at; Search
// then rebuilds. And a Search between two Syncs answers from the last one.
package index
