package apptest

import (
	"testing"

	"agentflow/app"
	"agentflow/app/fact"
)

func StoredBy(t *testing.T, m *app.Memory, text string) (id string) {
	t.Helper()
	return Must(fact.Remember(t.Context(), m, fact.RememberRequest{FactChange: fact.FactChange{Text: &text}}))(t).Fact.ID
}
