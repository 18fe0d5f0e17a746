// Package worktree makes, lists and takes away the linked work trees that runs
// happen in, and says what one holds that was not there when it was made.
//
// Guarantees: it works through the git program alone, so that hooks, filters
// and locks are those of git. Add leaves nothing behind when it fails or its
// context ends. Remove takes no work away: git refuses while there are changed
// or untracked files, and a branch stays once it has commits of its own. No
// other work tree is touched. A tree that cannot be read is an error, never an
// empty one.
//
// Not guaranteed: files that git ignores go with the tree. A git that is
// killed while it makes one leaves it listed as Unmade.
package worktree
