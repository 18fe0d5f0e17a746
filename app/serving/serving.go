// Package serving chooses the memories that a server offers to a caller.
package serving

import (
	"context"

	"agentflow/app"
)

type callerKey struct{}

// WithCaller returns a context that carries the caller of a request.
func WithCaller(ctx context.Context, c app.Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// Visible returns the repositories of a server that the caller in ctx may use, each with the
// permissions of that caller. Without a Caller in ctx it returns no repository of a team's server,
// and all repositories of another server.
func Visible(ctx context.Context, list []app.Repository) []app.Repository {
	c, known := ctx.Value(callerKey{}).(app.Caller)
	var visible []app.Repository
	for _, r := range list {
		switch {
		case !r.Memory.Policy.Team:
			visible = append(visible, r)
		case known && c.May(r.Name):
			visible = append(visible, app.Repository{Name: r.Name, Memory: r.Memory.For(c)})
		}
	}
	if known {
		withOthers(visible)
	}
	return visible
}

// withOthers makes a search of each memory include the facts that the other memories hold for all
// repositories of the team.
func withOthers(visible []app.Repository) {
	for i, r := range visible {
		for j, other := range visible {
			if i != j && other.Memory.Team.ForAll.Load() {
				r.Memory.Others = append(r.Memory.Others, other)
			}
		}
	}
}

// All returns a Memory that searches all repositories of a list, which must not be empty. It is the
// first one's, with the others to search next to it. It refuses writes, unless the list has only
// one repository.
func All(list []app.Repository) *app.Memory {
	if len(list) == 1 {
		return list[0].Memory
	}
	wide := *list[0].Memory
	wide.Name, wide.Beside = list[0].Name, list[1:]
	return &wide
}
