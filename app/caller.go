package app

import (
	"context"
	"errors"
	"slices"
)

// Repository is a memory that a server offers, with the name that requests and answers use for it.
type Repository struct {
	Name   string
	Memory *Memory
}

// Caller identifies the client of a team's server by its token.
type Caller struct {
	Name         string   // name of the token
	Repositories []string // names of the repositories on the server that it may use; empty: all
	Writes       bool
}

// May reports whether the caller may use the memory of a repository.
func (c Caller) May(repository string) bool {
	return len(c.Repositories) == 0 || slices.Contains(c.Repositories, repository)
}

type callerKey struct{}

// WithCaller returns a context that carries the caller of a request.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// Visible returns the repositories of a server that the caller in ctx may use, each with the
// permissions of that caller. Without a Caller in ctx it returns no repository of a team's server,
// and all repositories of another server.
func Visible(ctx context.Context, list []Repository) []Repository {
	c, known := ctx.Value(callerKey{}).(Caller)
	var visible []Repository
	for _, r := range list {
		switch {
		case r.Memory.Team == nil:
			visible = append(visible, r)
		case known && c.May(r.Name):
			visible = append(visible, Repository{r.Name, r.Memory.For(c)})
		}
	}
	if known {
		withOthers(visible)
	}
	return visible
}

// withOthers makes a search of each memory include the facts that the other memories hold for all
// repositories of the team.
func withOthers(visible []Repository) {
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
func All(list []Repository) *Memory {
	if len(list) == 1 {
		return list[0].Memory
	}
	wide := *list[0].Memory
	wide.Name, wide.Beside = list[0].Name, list[1:]
	return &wide
}

// For returns m with the permissions of a caller of a team's server. Its writes record the caller,
// and are refused if the caller may only read. It shares its files with m and closes with it.
func (m *Memory) For(c Caller) *Memory {
	mine := *m
	mine.Caller = &c
	mine.Agents = m.Team.agentsOf(c.Name)
	return &mine
}

// MayWrite returns an error if the caller may not write: several repositories are selected, or the
// token is read-only.
func (o *Operation) MayWrite() error {
	if len(o.Beside) > 0 {
		return &Error{Kind: KindUsage, Err: errors.New("several repositories are asked at once: name the one to write to"), Hint: "a request says repository=NAME; an agent connects to /mcp/NAME"}
	}
	if o.Caller == nil || o.Caller.Writes {
		return nil
	}
	return &Error{Kind: KindRefused, Err: errors.New("this token may only read"), Hint: "'agentflow serve token add --write' makes one that may write"}
}
