// Package store defines what an index needs from its store: the documents,
// their words, their vectors, the history of touched files, and an edition that
// changes with every change. Package index reads and cuts the files, and ranks
// and gates the results, in the same way for every store.
//
// Stores are registered by name.
//
// TestStoresAgree of package eval is the contract of stores: the same hits,
// scores and likely files.
package store
