package app

import (
	"agentflow/api"
	"agentflow/gitwatch/links"
	"agentflow/memory"
)

// runObject is api.Run, until its last user here has moved.
type runObject = api.Run

func filled[T any](list []T) []T { return append([]T{}, list...) }

func unread(e memory.Entry) []string { return api.Unread(e) }

// withLinks says in a run object what became of its commits.
func withLinks(r *api.Run, became commitStates) {
	for i, c := range r.Commits {
		link := became.of(c.ID)
		r.Commits[i].State, r.Commits[i].Now = link.State, link.Now
	}
}

func laterCommits(list []links.LaterCommit) []api.LaterCommit {
	var out []api.LaterCommit
	for _, c := range list {
		out = append(out, api.LaterCommit(c))
	}
	return out
}
