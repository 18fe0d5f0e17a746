package describe

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/app/api"
	"agentflow/internal/plural"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// outcomeDenied is the word for an entry of an agent that was not permitted to do anything.
const outcomeDenied = "denied"

// Outcome returns a word or two on how an entry ended; "" for a commit and a note, which do not end.
func Outcome(r api.Run) string {
	switch {
	case r.Open:
		return "open"
	case r.Undone != nil:
		return "undone"
	case r.Outcome == memory.OutcomeOK && len(r.Denials) > 0 && len(r.Commits)+len(r.Possible)+len(r.Memories)+len(r.Unread)+len(Changes(r)) == 0:
		return outcomeDenied // the agent ended as usual, and nothing was done
	}
	return strings.ReplaceAll(string(r.Outcome), "_", " ")
}

// Size sums up the changes of an entry.
func Size(r api.Run) string {
	var parts []string
	add := func(n int, noun string) {
		if n > 0 {
			parts = append(parts, plural.Count(n, noun))
		}
	}
	if worked := time.Duration(r.DurationMS) * time.Millisecond; r.Open && worked > 0 {
		parts = append(parts, "took "+plural.Duration(worked))
		add(r.Turns, "agent turn")
	}
	changes, possible := Changes(r), 0
	for _, c := range changes {
		if c.Certainty == changeset.Possible {
			possible++
		}
	}
	add(len(r.Commits), "commit")
	add(len(r.Possible), "possible commit")
	add(len(changes)-possible, "change")
	add(possible, "possible change")
	if r.Kind != memory.KindNote {
		add(len(r.Memories), "memory")
	}
	if n := len(r.Denials); n > 0 && Outcome(r) != outcomeDenied {
		parts = append(parts, fmt.Sprintf("%d denied", n))
	}
	if len(r.Unread) > 0 {
		parts = append(parts, "changes not fully read")
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("  (%s)", strings.Join(parts, ", "))
}

// Changes returns all changes of an entry.
func Changes(r api.Run) []api.Change {
	return slices.Concat(r.Changes, r.Uncommitted, r.Elsewhere)
}

// MovedCommits lists the commits of an entry that were rewritten or are gone:
// "a1b2c3d (now d4e5f6a)".
func MovedCommits(r api.Run) (list []string) {
	for _, c := range r.Commits {
		if mark := LinkMark(c.State, c.Now); mark != "" {
			list = append(list, ShortCommit(c.ID)+mark)
		}
	}
	return list
}

// Moved returns the beginning of that list, for the line of a log.
func Moved(r api.Run) string {
	const shown = 3
	list := MovedCommits(r)
	if more := len(list) - shown; more > 0 {
		list = append(list[:shown], fmt.Sprintf("and %d more", more))
	}
	if len(list) == 0 {
		return ""
	}
	return "  " + strings.Join(list, ", ")
}
