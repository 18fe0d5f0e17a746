// Package exchange brings a clone's memory to a remote's ref and that of others back: it
// fetches, keeps of each clone the newest state that is signed, adds this clone's own,
// pushes, and begins again when somebody was faster.
//
// There is nothing to merge: each clone writes its own folder, and of two states of a
// folder the one with the higher sequence number counts. So a commit has one parent, the
// tip that was fetched, and a tree in which the folders of the others are as they were.
// What this clone accepted is kept under a ref of its own; a remote that lost it, or was
// put back, gets it again.
package exchange
