// Package edits is what a run left changed, as it is kept in the run's folder:
// each path before and after, and the contents that git has nowhere.
//
// Guarantees: names keep every byte; contents come back exactly, for a copy
// that is damaged is an error. An archive is there whole or not at all, and
// nothing in it is compressed, so that what is purged from memory can be found
// in it.
//
// Not guaranteed: contents that are large or hold a secret are in no copy; who
// writes an archive decides that.
package edits
