package summary

import (
	"slices"
	"testing"
)

func TestReadableDenials(t *testing.T) {
	got := ReadableDenials([]string{
		"mcp__plugin_agentflow_agentflow__memory_delete", "mcp__agentflow__memory_store The clock", "Bash agentflow remember x", "Bash go vet ./...",
		"mcp__github__list_issues", "mcp__plugin_jira_jira__find_issue clock", `mcp__agentflow__memory_delete: the user said "keep it"`,
		"ExitPlanMode", `ExitPlanMode: the user said "smaller steps"`,
	})
	want := []string{"Bash go vet ./...", "github: list_issues", "jira: find_issue clock", `agentflow: memory_delete: the user said "keep it"`, `the plan: the user said "smaller steps"`}
	if !slices.Equal(got, want) {
		t.Errorf("have %q, want %q", got, want)
	}
}
