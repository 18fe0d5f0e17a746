package worktree

import (
	"slices"
	"strings"
)

// naming are the variables by which git's children, hooks and aliases are told
// which repository and work tree is meant (git rev-parse --local-env-vars,
// without those that carry settings).
var naming = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE",
}

// EnvIn returns env for a program that works in the folder dir of another work
// tree: without what names the one we were started in, and with its own PWD.
func EnvIn(env []string, dir string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(naming, name) || name == "PWD" || name == "OLDPWD"
	})
	return append(out, "PWD="+dir)
}
