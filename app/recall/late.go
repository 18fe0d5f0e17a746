package recall

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/executor/turns"
	"agentflow/internal/plural"
	"agentflow/internal/safefile"
)

// lateFile lists the memories that answered too late for a prompt, one per line.
const lateFile = "late"

// maxLate bounds the file, in bytes: some thousands of answers.
const maxLate = 64 << 10

// CountLate records the memories that were left out of a prompt. A late memory is not a failure.
func CountLate(s *app.Repo, names []string) {
	if len(names) > 0 && safefile.IsDir(s.State()) {
		_ = safefile.AppendBounded(filepath.Join(s.State(), lateFile), []byte(strings.Join(names, "\n")+"\n"), maxLate) // an error only loses a count
	}
}

// Prompts count as often slow if at least slowPrompts of them were slow in slowPeriod, and at least one in slowShare.
const (
	slowPrompts = 3
	slowShare   = 10
	slowPeriod  = 7 * 24 * time.Hour
)

// CheckPrompts reports for how many prompts of sessions the search of memory took too long, and
// which memories were left out of prompts for that. If there were none, it returns nil.
func CheckPrompts(s *app.Repo, now time.Time) []api.Check {
	since, limit := now.Add(-slowPeriod), s.Settings.Session.Deadline
	all, slow := turns.Recalls(app.SessionsFolder(s), since)
	late := lateMemories(s, since)
	if slow == 0 && len(late) == 0 {
		return nil
	}
	var parts []string
	if slow > 0 {
		parts = append(parts, fmt.Sprintf("of %s in the last 7 days, %d got less memory or none, as the search took longer than a prompt waits (%v)", plural.Count(all, "prompt"), slow, limit))
	}
	if len(late) > 0 {
		parts = append(parts, "too late was: "+strings.Join(late, ", "))
	}
	detail := strings.Join(parts, "; ")
	if slow < slowPrompts || slow*slowShare < all {
		return []api.Check{api.Passed("prompts", detail+" (no fault, if it is rare)")}
	}
	hint := "searches are slow if a virus scanner reads .git and .agentflow, or if they are on a network disk"
	if longer := min(3*limit, longestDeadline); longer > limit {
		hint = fmt.Sprintf("'agentflow config set session.deadline %v' lets prompts wait longer; ", longer) + hint
	}
	return []api.Check{api.Warned("prompts", detail, hint)}
}

// lateMemories lists the memories that answered too late, and how often, if one did since a time.
func lateMemories(s *app.Repo, since time.Time) (list []string) {
	file := filepath.Join(s.State(), lateFile)
	if info, err := os.Stat(file); err != nil || info.ModTime().Before(since) {
		return nil
	}
	text, err := safefile.Read(file, safefile.NoLink, maxLate)
	if err != nil {
		return nil
	}
	counts := map[string]int{}
	for name := range bytes.Lines(text) {
		counts[strings.TrimSpace(string(name))]++
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, app.CleanLine(name)+" "+plural.Count(counts[name], "time"))
	}
	return list
}

// longestDeadline limits a prompt's wait for its search: an agent waits a second for
// the whole hook.
const longestDeadline = 800 * time.Millisecond
