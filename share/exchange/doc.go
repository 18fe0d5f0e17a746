// Package exchange sends a clone's memory to a remote's ref and receives the memory of other
// clones. It fetches the ref, accepts the newest signed state of each clone, adds this clone's
// state and pushes. If another clone pushed in the meantime, it starts again.
//
// Commits need no merge: each clone writes only its folder, and of two states of a folder the
// one with the higher sequence number counts. So a commit has one parent, the tip that was
// fetched, and a tree with the unchanged folders of the other clones. A separate ref keeps the
// state that this clone accepted. If the remote loses that state, or is restored from a backup,
// it gets the state again.
package exchange
