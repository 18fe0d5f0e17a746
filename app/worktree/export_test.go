package worktree

// Names for the tests in package worktree_test.
const TreeClean = treeClean
const TreeDirty = treeDirty

type RunTree = runTree

var RefOf = refOf
