package git

import "strings"

// BranchPrefix begins the full names of branches.
const BranchPrefix = "refs/heads/"

// ShortBranch is the name of a branch without it.
func ShortBranch(name string) string { return strings.TrimPrefix(name, BranchPrefix) }
