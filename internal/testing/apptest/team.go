package apptest

import (
	"testing"

	"agentflow/app"
	"agentflow/app/fact"
)

func StoredBy(t *testing.T, m *app.Memory, text string) (id string) {
	t.Helper()
	return Must(fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: &text}}))(t).Fact.ID
}
