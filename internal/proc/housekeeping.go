package proc

import (
	"path/filepath"
	"slices"
	"strings"
)

// Git starts processes of its own in the background, for the repository and not for
// the run: they are left to their end. They write into git's directory only. An
// agent's process that looks like one is not left: the program must be git itself, and
// so must each program between it and the command that git started.

// gitBegins are the commands that git starts in the background, with what else is
// among their words.
var gitBegins = map[string]string{
	"gc": "--auto", "maintenance": "--auto", "fsmonitor--daemon": "run", "credential-cache--daemon": "",
}

// gitHelps are the commands that those start.
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
