// Package items finds entries and facts in Markdown texts by their ids, takes them out, and says which text separates
// one from the next. It does no I/O.
//
// Guarantees: no function changes a byte outside of the entries and facts that it is given, and a text is never changed
// in place.
package items
