// Package share decides which part of a memory other clones get, and which of their memory is
// accepted. It is pure: package memref moves the files with git, and app decides when.
//
// Shared memory is a tree with a folder for each clone, clones/ID, which only that clone
// writes. It holds the clone's Markdown, the ids that it took back (forgotten), and a signed
// manifest that lists both. The id is made of the key. So a clone cannot write another one's
// folder, and keys need no other way of distribution. A manifest has a sequence number, and
// readers never accept a lower one. So an old state that replaces a new one has no effect on
// them.
package share
