package proc

import (
	"path/filepath"
	"slices"
	"strings"
)

// Git starts background processes for the repository and not for the run. They
// may finish, because they only write into git's directory. An agent's process
// that imitates one is not spared: the program must be git itself, and so must
// each program between it and the command that git started.

// gitBegins maps the commands that git starts in the background to an argument
// that they must have.
var gitBegins = map[string]string{
	"gc": "--auto", "maintenance": "--auto", "fsmonitor--daemon": "run", "credential-cache--daemon": "",
}

// gitHelps lists the commands that those start.
var gitHelps = []string{
	"gc", "maintenance", "repack", "pack-objects", "prune", "prune-packed", "pack-refs", "refs", "reflog", "rerere",
	"commit-graph", "multi-pack-index", "rev-list", "update-server-info", "worktree",
}

// gitCommand splits the arguments of a git process into its command and the rest. It returns
// "" for another program. If options of git come first, the first option is the command.
func gitCommand(args []string) (command string, rest []string) {
	if len(args) < 2 || strings.TrimSuffix(filepath.Base(args[0]), ".exe") != "git" {
		return "", nil
	}
	return args[1], args[2:]
}

func beginsHousekeeping(args []string) bool {
	command, rest := gitCommand(args)
	with, known := gitBegins[command]
	return known && (with == "" || slices.Contains(rest, with))
}

func helpsHousekeeping(args []string) bool {
	command, rest := gitCommand(args)
	return slices.Contains(gitHelps, command) && (command != "worktree" || slices.Contains(rest, "prune"))
}
