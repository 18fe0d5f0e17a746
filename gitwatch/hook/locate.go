package hook

import (
	"path/filepath"
	"strings"

	"agentflow/internal/gitdir"
	"agentflow/internal/repofile"
)

// locate fills in the paths of the events' work trees. A work tree that was
// removed since has none.
func locate(common string, events []Event) {
	known := map[string]string{}
	for i := range events {
		name := events[i].Linked
		if _, ok := known[name]; !ok {
			known[name] = worktreePath(common, name)
		}
		events[i].Worktree = known[name]
	}
}

// worktreePath reads where a linked work tree is (gitrepository-layout(5)).
func worktreePath(common, linked string) string {
	if linked == "" {
		return gitdir.MainRoot(common)
	}
	admin := filepath.Join(common, "worktrees", linked)
	text, err := repofile.Read(filepath.Join(admin, "gitdir"), repofile.AnyLink, 64<<10)
	if err != nil {
		return ""
	}
	dotgit := filepath.FromSlash(strings.TrimRight(string(text), "\r\n"))
	if !filepath.IsAbs(dotgit) {
		dotgit = filepath.Join(admin, dotgit)
	}
	root, err := filepath.EvalSymlinks(filepath.Dir(dotgit))
	if err != nil {
		return ""
	}
	return root
}
