// Package share says what of a memory goes to others, and which of theirs is taken. It is
// pure: package memref moves the files by git, and app decides when.
//
// Shared memory is a tree with a folder for each clone, clones/ID, which that clone alone
// writes: its Markdown, the ids it has taken back (forgotten), and a manifest that lists
// both and is signed. The id is made of the key, so nobody can write another's folder, and
// nobody has to be told whose key is whose. A manifest has a sequence number; readers
// never go back to a lower one, so an old state that is put in the place of a new one
// changes nothing for them.
package share
