package setup

import (
	"testing"

	"agentflow/app/builtin"
)

// Every agent has the name that its makers write.
func TestAgentNames(t *testing.T) {
	for _, b := range builtin.Agents {
		if agentNames[b.Name] == "" {
			t.Errorf("%s has no name", b.Name)
		}
	}
	if len(agentNames) != len(builtin.Agents) {
		t.Errorf("%d names of %d agents", len(agentNames), len(builtin.Agents))
	}
}
