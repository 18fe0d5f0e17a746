package app

import (
	"context"
	"errors"
	"slices"

	"agentflow/team"
)

// Repository is a memory that a server offers, with the name that requests and answers
// have for it.
type Repository struct {
	Name   string
	Memory *Memory
}

// Caller is who asks a team's server.
type Caller struct {
	Name         string   // of the token
	Repositories []string // by their names on the server; empty: all
	Writes       bool
}

// May says whether the caller may ask the memory of a repository.
func (c Caller) May(repository string) bool {
	return len(c.Repositories) == 0 || slices.Contains(c.Repositories, repository)
}

func callerOf(t team.Token) Caller { return Caller{t.Name, t.Repositories, t.Writes} }

type callerKey struct{}

// WithCaller says who asks in ctx.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// Visible are the repositories of a server that whoever asks in ctx may ask, each as they
// may use it. Without a Caller they are all.
func Visible(ctx context.Context, list []Repository) []Repository {
	c, ok := ctx.Value(callerKey{}).(Caller)
	if !ok {
		return list
	}
	var visible []Repository
	for _, r := range list {
		if c.May(r.Name) {
			visible = append(visible, Repository{r.Name, r.Memory.For(c)})
		}
	}
	return visible
}

// All is the memory of all repositories of a list: the first one's, beside which the others
// are searched. It writes nothing, unless the list has but one. The list has at least one.
func All(list []Repository) *Memory {
	if len(list) == 1 {
		return list[0].Memory
	}
	wide := *list[0].Memory
	wide.name, wide.beside = list[0].Name, list[1:]
	return &wide
}

// For is m as a caller of a team's server may use it: what it writes says so, and is
// refused where the caller may only read. It is closed with m.
func (m *Memory) For(c Caller) *Memory {
	mine := *m
	mine.caller = &c
	mine.agents = m.team.agentsOf(c.Name)
	return &mine
}

// mayWrite says why nothing is written for the one who asks.
func (o *operation) mayWrite() error {
	if len(o.beside) > 0 {
		return &Error{Kind: KindUsage, Err: errors.New("several repositories are asked at once: name the one to write to"), Hint: "a request says repository=NAME; an agent connects to /mcp/NAME"}
	}
	if o.caller == nil || o.caller.Writes {
		return nil
	}
	return &Error{Kind: KindRefused, Err: errors.New("this token is for reading alone"), Hint: "'agentflow serve token add --write' makes one that may write"}
}

// changeOf is what a command wrote, as the audit has it.
func (s *openMemory) changeOf(command string, ids []string) team.Change {
	c := team.Change{Repository: s.team.repository, Operation: command, IDs: ids}
	if s.caller != nil {
		c.Name = s.caller.Name
	}
	return c
}
