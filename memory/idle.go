package memory

import (
	"slices"
	"strings"
)

// Idle says whether the entry is that of a run that ended before it did
// anything: the agent was not there, was not logged in, or did nothing but ask
// for what was denied. Such a run tells the next one nothing.
func (e *Entry) Idle() bool {
	r := e.Result
	if e.Kind != KindRun || r == nil || r.Success || len(e.Commits)+len(e.PossibleCommits)+len(e.Facts) > 0 || e.Changes.some() || e.Uncommitted.some() {
		return false
	}
	switch {
	case r.Outcome == OutcomeNotStarted:
		return true
	case r.Outcome != OutcomeFailed:
		return false
	case len(e.Denials) > 0:
		return r.Turns <= len(e.Denials)+1
	}
	// Of an agent that has no session nobody knows what it did.
	return e.Session != "" && r.Turns <= 2 && r.CostUSD == 0 && e.saidErrors()
}

// some says whether the list has anything, or is not known.
func (l ChangeList) some() bool { return len(l.Items) > 0 || l.Unread != "" }

// saidErrors says whether the agent's words are nothing but its error.
func (e *Entry) saidErrors() bool {
	said := strings.TrimSpace(e.Summary)
	return said == "" || slices.ContainsFunc(e.Errors, func(err string) bool { return strings.Contains(err, said) || err != "" && strings.Contains(said, err) })
}
