package exchange

import (
	"context"
	"crypto/ed25519"
	"time"

	"agentflow/gitwatch/memref"
	"agentflow/internal/share"
)

// Clone is a memory that is shared.
type Clone struct {
	Repo   memref.Repo
	Remote string // the name of a remote, or an address
	Ref    string // refs/agentflow/memory, or a branch
	State  string // folder for the key and the state
	Memory string // folder of Markdown
	Mirror string // folder for the Markdown of other clones
	// Holders is a folder of the user that records which clone has each key. If it is empty,
	// only the clone's file records that.
	Holders string
	Author  func(context.Context) string // called only when the folder changes
	What    share.What
	// Whose is share.Own for the memory that the machines of one user share. Then a folder also
	// lists the ids that its machine hides as forgotten, so that the other machines forget them
	// too.
	Whose share.Whose
	// Key signs the folder. If it is nil, the key in State does, which is made at first use.
	Key ed25519.PrivateKey
	// Adopt makes Memory hold the files that the remote has in the folder, if another process
	// with the same Key wrote them. purged means that no copy of removed text may be kept.
	// Such processes write in turns: changes that one wrote and did not push before another
	// pushed are lost. Nil: no other process has the key.
	Adopt func(ctx context.Context, files map[string][]byte, purged bool) error
	// Join replaces the contents of Memory with those that merge returns, if another machine
	// wrote this clone's folder: one made from the same disk, or this one before a backup was
	// put back. Purged ids have to leave every store. Nil: such a folder is overwritten.
	Join func(ctx context.Context, merge func(now map[string][]byte) map[string][]byte, purged []string) error
	// Clean redacts text before it is sent.
	Clean func(string) string
	// Leaves reports whether a file of the memory may be shared; nil: all may.
	Leaves func(name string) bool
	// Gone returns a function that reports whether an entry or a fact was forgotten here. A
	// memory that was lost is restored without those. It is called only then. Nil: none was.
	Gone func(context.Context) (func(id string) bool, error)
	// Hidden are the ids of other clones' entries and facts that the mirror leaves out. Back
	// are ids that were hidden before.
	Hidden, Back []string
	// Rules changes when Clean, What or Leaves do.
	Rules string
	Now   func() time.Time
}

// Options configure an exchange.
type Options struct {
	DryRun bool // fetch and check, and change nothing else
	// Purge replaces the ref with one that has no history.
	Purge bool
	// Purged are ids that were purged: they also leave the folders of the clone's former keys.
	Purged []string
	// Rest skips the remote if this clone has nothing new and the last exchange was less than
	// Rest ago.
	Rest time.Duration
	// Unmoved assumes that the remote's ref has not moved since the last exchange, and asks the
	// remote only when a push shows otherwise.
	Unmoved bool
	// Withdraw removes all files from this clone's folder.
	Withdraw bool
}

// lockFile is locked during an exchange.
const lockFile = "share.lock"

// lockWait is how long an exchange waits for another exchange of the clone.
const lockWait = 30 * time.Second
