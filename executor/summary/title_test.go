package summary

import (
	"testing"

	"agentflow/memory"
	"agentflow/memory/changeset"
)

func TestTitle(t *testing.T) {
	said := "Moved the lock of the index to the beginning of Parse. Two readers overtook it."
	commits := []changeset.Commit{{Subject: "Start"}, {Subject: "parse: hold the lock"}, {Subject: "Merge branch 'main'"}}
	for name, c := range map[string]struct {
		e            memory.Entry
		title, below string
	}{
		"a task":                        {memory.Entry{Title: "Hold the lock in Parse", Task: "Hold the lock in Parse", Commits: commits, Summary: said}, "Hold the lock in Parse", said},
		"an answer, committed":          {memory.Entry{Title: "yes, fix it", Task: "yes, fix it", Commits: commits, Summary: said}, "parse: hold the lock", said},
		"a summary that begins with it": {memory.Entry{Title: "fix it", Task: "fix it", Commits: commits, Summary: "parse: hold the lock. " + said}, "parse: hold the lock", said},
		"an answer":                     {memory.Entry{Title: "fix it", Task: "fix it", Summary: said}, "Moved the lock of the index to the beginning of Parse", "Two readers overtook it."},
		"an answer, and nothing else":   {memory.Entry{Title: "fix it", Task: "fix it", Summary: "Moved the lock."}, "Moved the lock", "Moved the lock."},
		"a reply":                       {memory.Entry{Title: "hmm, the index is wrong in Parse again", Task: "hmm, the index is wrong in Parse again", Summary: "This adds a lock to Parse. " + said}, "Moved the lock of the index to the beginning of Parse", "This adds a lock to Parse. " + said},
		"what is left":                  {memory.Entry{Title: "fix it", Task: "fix it", Summary: "Needs to be added: locks of names in Index. " + said}, "Moved the lock of the index to the beginning of Parse", "Needs to be added: locks of names in Index. " + said},
		"nothing names it":              {memory.Entry{Title: "fix it", Task: "fix it"}, "fix it", ""},
		"no prompt":                     {memory.Entry{Title: NoPromptYet, Commits: commits}, NoPromptYet, ""},
	} {
		if title, below := Title(c.e); title != c.title || below != c.below {
			t.Errorf("%s: %q, %q", name, title, below)
		}
	}
}
