// Package store is what an index needs of whatever keeps it: the documents, which
// words stand in which, their vectors, what was touched when, and an edition that
// says whether anything changed. Package index reads and cuts the files, ranks and
// gates above it, in the same way for every store.
//
// A store is registered by name.
package store
