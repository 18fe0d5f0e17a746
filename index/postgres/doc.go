// Package postgres keeps indexes of many repositories in one PostgreSQL database, 14 or
// newer. Processes on any number of machines may use it at once.
//
// An index is a generation of a repository's documents. Making it anew fills tables of
// its own, which become partitions when they are whole; until then the generation
// before answers. Number and content of what is written are those of any store: the
// ranking above is the same.
//
// Words are found by our own postings (a term, a block of 4,096 documents, and for each
// how often the term stands where) and scored here as FTS5 does, so that an index gives
// the same hits as SQLite's. PostgreSQL's own ts_rank knows no document frequencies.
//
// Vectors are found by pgvector where the server has it and they are many, else by their
// bits, which a process keeps in memory. Not guaranteed: that pgvector finds the very
// vectors that bits find; after the tenth place of a search it may be others.
//
// Texts are kept, so the files need not be where a search is.
package postgres
