package prompt

import "testing"

func TestIsReply(t *testing.T) {
	for _, text := range []string{"hmm, the list of names is short again", "yeah, use the second table", "ok, lets drop the cache of names", "1. sounds right, add the table", "1. - should it list names?", "C) use the table of names",
		"so the lock is held by `Parse`?", "I like the table of names", "Operation stopped by hook: another session is active"} {
		if !IsReply(text) {
			t.Errorf("%q is a task", text)
		}
	}
	for _, text := range []string{"", "Add a table of names", "can you add a table of names?", "nobody reads the table of names", "I want a table of names", "sort the names", "1 table of names",
		"No-op writes must not sync", "Right-align the numbers in the log", "OK button is misaligned", "Option parsing ignores the limit", "1. Add a table"} {
		if IsReply(text) {
			t.Errorf("%q is a reply", text)
		}
	}
}
