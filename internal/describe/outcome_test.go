package describe

import (
	"testing"

	"agentflow/app/api"
	"agentflow/memory"
)

func TestOutcome(t *testing.T) {
	denied := []string{"Bash git commit"}
	for want, r := range map[string]api.Run{
		"ok":          {Outcome: memory.OutcomeOK},
		"denied":      {Outcome: memory.OutcomeOK, Denials: denied},
		"open":        {Outcome: memory.OutcomeOK, Denials: denied, Open: true},
		"failed":      {Outcome: memory.OutcomeFailed, Denials: denied},
		"interrupted": {Outcome: memory.OutcomeInterrupted},
	} {
		if got := Outcome(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, r := range []api.Run{
		{Outcome: memory.OutcomeOK, Denials: denied, Commits: []api.RunCommit{{}}},
		{Outcome: memory.OutcomeOK, Denials: denied, Changes: []api.Change{{}}},
		{Outcome: memory.OutcomeOK, Denials: denied, Unread: []string{"locked"}},
		{Outcome: memory.OutcomeOK, Denials: denied, Memories: []api.Fact{{}}},
	} {
		if got := Outcome(r); got != "ok" {
			t.Errorf("with work: %q", got)
		}
	}
}
