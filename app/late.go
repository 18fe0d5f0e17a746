package app

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/api"
	"agentflow/internal/plural"
	"agentflow/internal/repofile"
)

// lateFile lists the memories that answered too late for a prompt, one a line.
const lateFile = "late"

// maxLate bounds the file, in bytes: some thousands of answers.
const maxLate = 64 << 10

// countLate records the memories that were left out of a prompt. That is no failure.
func (s *openMemory) countLate(names []string) {
	if len(names) > 0 && isDir(s.State()) {
		_ = appendBounded(filepath.Join(s.State(), lateFile), []byte(strings.Join(names, "\n")+"\n"), maxLate) // it is only counted
	}
}

// checkLate reports how often memories were left out of prompts. If they never were, it
// returns nil.
func (s *openMemory) checkLate() []api.Check {
	text, err := repofile.Read(filepath.Join(s.State(), lateFile), repofile.NoLink, maxLate)
	if err != nil || len(text) == 0 {
		return nil
	}
	counts := map[string]int{}
	for name := range bytes.Lines(text) {
		counts[strings.TrimSpace(string(name))]++
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, cleanLine(name)+" "+plural.Count(counts[name], "time"))
	}
	return []api.Check{passed("recall", "left out of prompts, as the answer came too late: "+strings.Join(list, ", ")+"; session.deadline and recall.deadline say how long prompts wait")}
}
