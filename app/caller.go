package app

import (
	"errors"
	"slices"

	"agentflow/team"
)

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

// For is m as a caller of a team's server may use it: what it writes says so, and is
// refused where the caller may only read. It is closed with m.
func (m *Memory) For(c Caller) *Memory {
	mine := *m
	mine.caller = &c
	return &mine
}

// Beside is m with others whose memories are searched beside it, as far as they answer in
// time. It is closed with m.
func (m *Memory) Beside(others []*Memory) *Memory {
	wide := *m
	wide.beside = nil
	for _, other := range others {
		wide.beside = append(wide.beside, besideMemory{other.repository(), other})
	}
	return &wide
}

// repository is the memory's name on a team's server; empty elsewhere.
func (m *Memory) repository() string {
	if m.team == nil {
		return ""
	}
	return m.team.repository
}

// mayWrite says why nothing is written for the one who asks.
func (o *operation) mayWrite() error {
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
