// Package exchange sends a clone's memory to a remote's ref and receives the memory of other
// clones. It fetches the ref, accepts the newest signed state of each clone, adds this
// clone's state and pushes, under a lease on the tip that it fetched. If another clone pushed
// in the meantime, it starts again.
//
// Commits need no merge: each clone writes only its folder, and of two states of a folder the
// one with the higher sequence number counts. So a commit has one parent, the tip that was
// fetched, and a tree with the unchanged folders of the other clones. A separate ref keeps the
// state that this clone accepted. If the remote loses that state, or is restored from a backup,
// it gets the state again.
//
// If two machines write one folder (they were made from one disk, or a clone's backup was
// restored), an exchange finds its folder newer than it left it. It first merges the new
// items into memory, by entries and facts. Purged items leave every store: a purge replaces the
// ref with one without history, and the manifests record that, so that no clone brings the old
// history back. Other clones then remove the texts from run folders, the index and git's
// objects. If this is interrupted, the next command continues.
//
// Anyone who can push may put anything on the ref. Trees are read up to a limit, a folder
// that does not fit is refused by itself until it changes, and a tip that no commit can build
// on is replaced by the accepted state.
//
// A clone that had other keys before may have folders of that time, and a copy of the clone
// may still write them. A clone removes the items that it purges from these folders, and
// purges the items that were purged there.
//
// Items of others that the user forgot are left out of the mirror, so readers of the mirror
// need no list of them. A fact into which such an item was merged is left out too.
package exchange
