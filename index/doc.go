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
// Search is by keywords: BM25 over title, body and files, weighed by age and
// importance, behind a relevance gate. The same index and query give the same
// hits in the same order every time.
//
// What is not guaranteed: flipped bits inside the full-text structures that
// still decode are seen only when a hit they lead to is looked at; Search
// then rebuilds. And a Search between two Syncs answers from the last one.
package index
