package apptest

import (
	"testing"

	"agentflow/app/agent"
	"agentflow/app/fact"
)

// Ptr returns a pointer to a value, for the fields of a FactChange.
func Ptr[T any](value T) *T { return &value }

func Text(words string) fact.Change { return fact.Change{Text: &words} }

// Stored stores a fact as an agent and returns it.
func Stored(t *testing.T, a *agent.AgentSession, change fact.Change) fact.RememberResult {
	t.Helper()
	return Must(a.Remember(t.Context(), fact.RememberRequest{Change: change}))(t)
}

func ErrOf[R any](_ R, err error) error { return err }
