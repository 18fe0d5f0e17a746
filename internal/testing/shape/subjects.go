package main

import (
	"os/exec"
	"strings"
)

// since is the last commit before subjects had a limit.
const since = "4e370c4b"

// longestSubject measures the subjects of the commits since then. In a clone
// without that commit it measures all that the clone has after its first.
func longestSubject(root string) (measured, error) {
	longest := measured{name: "characters of a commit's subject"}
	revisions := since + "..HEAD"
	if exec.Command("git", "-C", root, "cat-file", "-e", since+"^{commit}").Run() != nil {
		revisions = "HEAD"
	}
	out, err := exec.Command("git", "-C", root, "log", "--no-merges", "--format=%h %s", revisions).Output()
	if err != nil {
		return longest, err
	}
	for line := range strings.Lines(string(out)) {
		hash, subject, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n := len([]rune(subject)); float64(n) > longest.value {
			longest.value, longest.where = float64(n), hash
		}
	}
	return longest, nil
}
