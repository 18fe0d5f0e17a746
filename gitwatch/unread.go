package gitwatch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// unreadPath is a path of the work tree that could not be read: a file, or a
// folder with all below it, which ends in '/'. An empty path is the whole work
// tree.
type unreadPath struct {
	Path git.Name `json:"path"`
	Why  string   `json:"why"`
}

func newUnread(path string, err error) unreadPath {
	return unreadPath{git.Name(path), git.OneLine(git.WithoutPath(err).Error())}
}

// unreadPaths are what one look at a work tree left out, by path.
type unreadPaths []unreadPath

func (u unreadPaths) sort() {
	slices.SortFunc(u, func(a, b unreadPath) int {
		return cmp.Or(strings.Compare(string(a.Path), string(b.Path)), strings.Compare(a.Why, b.Why))
	})
}

// holds says whether nothing can be told of a path.
func (u unreadPaths) holds(path string) bool {
	return slices.ContainsFunc(u, func(p unreadPath) bool {
		name := string(p.Path)
		return name == path || name == "" || strings.HasSuffix(name, "/") && strings.HasPrefix(path, name)
	})
}

// String sums them up.
func (u unreadPaths) String() string {
	const shown = 3
	var said []string
	for _, p := range u[:min(len(u), shown)] {
		said = append(said, git.OneLine(strings.TrimPrefix(string(p.Path)+": "+p.Why, ": ")))
	}
	if len(u) > shown {
		said = append(said, fmt.Sprintf("and %d more", len(u)-shown))
	}
	return strings.Join(said, "; ")
}
