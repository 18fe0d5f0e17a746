// Package links says what became of the commits that entries name, and which
// commits took over what a run had left uncommitted.
//
// A commit is known again by the record of git's hook, by the reflog's amends,
// by its patch id, or by the contents it gave its paths.
//
// Guarantees: entries are never changed. What it cost to find out is kept in a
// file of the caller's, which may be deleted at any time. A commit is said to
// be gone only where none that may be a later form of it was passed over; else
// it is unknown, and asked about again.
//
// Not guaranteed: the searches are bounded, so among very many later commits
// one may stay unknown; so may one in a shallow or partial clone.
package links
