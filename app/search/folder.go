package search

import (
	"path/filepath"

	"agentflow/app"
	"agentflow/executor"
	"agentflow/internal/gitdir"
	"agentflow/internal/safefile"
	"agentflow/prompt"
)

// SetScope sets Paths for facts below a heading that is a path of the work tree, and sets the
// folder in which the caller works.
func SetScope(s *app.Repo, found *executor.Known) {
	isFolder := func(name string) bool { return safefile.IsDir(filepath.Join(app.Top(s), filepath.FromSlash(name))) }
	for _, facts := range [][]prompt.Fact{found.Facts, found.Notes} {
		for i, f := range facts {
			facts[i].Paths = f.Scope(isFolder)
		}
	}
	found.Folder = workFolder(s)
}

// workFolder returns the folder of the work tree that the caller works in, '/' separated;
// empty: it is the work tree itself, or elsewhere.
func workFolder(s *app.Repo) string {
	rel, err := filepath.Rel(gitdir.Real(app.Top(s)), gitdir.Real(s.Dir))
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel)
}
