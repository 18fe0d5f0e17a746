package executor

import (
	"slices"
	"testing"

	"time"
)

// TestAsked leaves out prompts that ask for nothing new.
func TestAsked(t *testing.T) {
	s := newSegmentSummary(nil)
	for _, text := range []string{"/clear", "Fix the login", "yes", "Commit that.", "now the logout", "/review", "please commit and push all changes", "commit to Postgres as the store"} {
		s.ask(text, time.Time{})
	}
	title, task, then := s.asked()
	if title != "Fix the login" || task != "Fix the login" || !slices.Equal(then, []string{"now the logout", "commit to Postgres as the store"}) {
		t.Errorf("%q, %q, %q", title, task, then)
	}
}
