package setup

import (
	"slices"
	"testing"

	"agentflow/gitwatch/history"
)

// TestRecentSubjects checks that the suggested tasks say what changed.
func TestRecentSubjects(t *testing.T) {
	var commits []history.Commit
	for _, subject := range []string{"Release v1.2.0", "Cleanup", "bump deps", "Expire idle sessions after an hour", "WIP sessions logging", "Count failed logins"} {
		if !isRoutine(subject) {
			commits = append(commits, history.Commit{Subject: subject})
		}
	}
	tasks, words := recentSubjects(commits)
	if want := []string{"Expire idle sessions after an hour", "Count failed logins"}; !slices.Equal(tasks, want) {
		t.Errorf("the tasks are %q, want %q", tasks, want)
	}
	if words != "failed logins" {
		t.Errorf("the words are %q", words)
	}
	if tasks, words := recentSubjects(nil); len(tasks) > 0 || words != "" {
		t.Errorf("without commits they are %q, %q", tasks, words)
	}
}
