package app

import (
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

// For returns m with the permissions of a caller of a team's server. Its writes record the caller,
// and are refused if the caller may only read. It shares its files with m and closes with it.
func (m *Memory) For(c Caller) *Memory {
	mine := *m
	mine.Policy.Remote, mine.Policy.ReadOnly, mine.Policy.Person = true, !c.Writes, c.Name
	mine.Agents = m.Team.agentsOf(c.Name)
	return &mine
}

// MayWrite returns an error if the caller may not write: several repositories are selected, or the
// token is read-only.
func (o *Operation) MayWrite() error {
	if len(o.Beside) > 0 {
		return &Error{Kind: KindUsage, Err: errors.New("several repositories are asked at once: name the one to write to"), Hint: "a request says repository=NAME; an agent connects to /mcp/NAME"}
	}
	if o.Policy.ReadOnly {
		return &Error{Kind: KindRefused, Err: errors.New("this token may only read"), Hint: "'agentflow serve token add --write' makes one that may write"}
	}
	return nil
}
