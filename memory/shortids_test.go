package memory

import "testing"

func TestShortIDs(t *testing.T) {
	for text, want := range map[string]string{
		"remembering session 90b4c1de-0000-4000-8000-00000017cafe of claude":               "remembering session 17cafe of claude",
		"open /r/.git/agentflow/sessions/claude-90b4c1de-0000-4000-8000-00000017cafe/lock": "open /r/.git/agentflow/sessions/claude-17cafe/lock",
		"a 90b4c1de-0000-4000-8000-00000017cafe0 b":                                        "a 90b4c1de-0000-4000-8000-00000017cafe0 b",
		"no id": "no id",
	} {
		if got := ShortIDs(text); got != want {
			t.Errorf("ShortIDs(%q) = %q", text, got)
		}
	}
}
