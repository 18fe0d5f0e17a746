// Package postgres keeps the indexes of many repositories in one PostgreSQL
// database, version 14 or newer. Processes on any number of machines may use it
// at once.
//
// An index is a generation of a repository's documents. A rebuild fills
// separate tables, which become partitions when they are complete. Until then
// the previous generation answers. The store writes the same documents as any
// other store, so the ranking above it gives the same results.
//
// Words are found by the package's own postings: for a term and a block of
// 4,096 documents, how often each document holds the term in each column. They
// are scored in Go with FTS5's formula, so an index gives the same hits as
// SQLite's. PostgreSQL's ts_rank knows no document frequencies.
//
// If the server has pgvector and there are many vectors, pgvector finds the
// nearest ones. Otherwise they are found by their bits, which a process keeps
// in memory. Not guaranteed: that pgvector finds exactly the vectors that the
// bits find; after the tenth place of a search they may differ.
//
// Texts are stored, so a search does not need the files.
//
// A write that more than doubles an index analyzes its tables, because a search
// planned for empty tables reads all vectors for each hit. Statistics are kept
// of ids, kinds, namespaces and numbers, and not of text, which a purge would
// not reach. While the database does not answer, a search uses an index in
// memory. A process has one bounded pool of connections for each DSN, which all
// its indexes share.
//
// Each write is one transaction, which locks the row of the index's
// generation.
package postgres
