package describe

import (
	"testing"

	"agentflow/app/api"
)

// TestMessages shows the text of a commit's message below its subject, if it says more than the
// number of an issue.
func TestMessages(t *testing.T) {
	for task, want := range map[string]string{
		"Bump x\n\nCloses #2869":                    "",
		"Bump x\n\nFixes #1, closes https://a.b/2":  "",
		"Bump x\n\nFixes #1: the page was empty":    "Fixes #1: the page was empty",
		"Bump x\n\nThe old one leaks.\n\nCloses #3": "The old one leaks.\n\nCloses #3",
	} {
		o := api.WhyOrigin{Entry: &api.WhyEntry{Task: task}, Commit: &api.WhyCommit{Subject: "Bump x"}}
		if got := messageOf(o); got != want {
			t.Errorf("%q: %q", task, got)
		}
	}
}
