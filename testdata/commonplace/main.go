// Command commonplace prints the words of any software project (internal/words):
// those that stand in 0.3 % of the subjects of commits, of at least half of the
// histories.
//
//	go run ./testdata/commonplace GITDIR …
package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"agentflow/internal/words"
)

// leastShare is the share of a history's subjects that hold a word.
const leastShare = 0.003

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "commonplace:", err)
		os.Exit(1)
	}
}

func run(dirs []string) error {
	if len(dirs) == 0 {
		return fmt.Errorf("it takes at least one history: GITDIR …")
	}
	histories := map[string]int{} // that hold a stem often enough
	shown := map[string]string{}
	for _, dir := range dirs {
		stems, err := often(dir)
		if err != nil {
			return err
		}
		for stem, word := range stems {
			histories[stem]++
			if shown[stem] == "" || len(word) < len(shown[stem]) {
				shown[stem] = word
			}
		}
	}
	var list []string
	for stem, n := range histories {
		if 2*n >= len(dirs) {
			list = append(list, shown[stem])
		}
	}
	slices.Sort(list)
	fmt.Println(strings.Join(list, " "))
	return nil
}

// often are the stems that stand in enough subjects of a history, each with its
// shortest word.
func often(dir string) (map[string]string, error) {
	log, err := exec.Command("git", "--git-dir", dir, "log", "--no-merges", "--format=%s").Output()
	if err != nil {
		return nil, fmt.Errorf("reading the history in %s: %w", dir, err)
	}
	subjects, counts, shown := 0, map[string]int{}, map[string]string{}
	for subject := range strings.Lines(string(log)) {
		subjects++
		seen := map[string]bool{}
		for _, token := range words.Tokenize(subject) {
			stem := words.Stem(token.Text)
			if strings.Trim(token.Text, "abcdefghijklmnopqrstuvwxyz") != "" || words.IsStopword(token.Text) || len(stem) < 2 {
				continue
			}
			if old := shown[stem]; old == "" || len(token.Text) < len(old) {
				shown[stem] = token.Text
			}
			if !seen[stem] {
				seen[stem] = true
				counts[stem]++
			}
		}
	}
	for stem, n := range counts {
		if float64(n) < leastShare*float64(subjects) {
			delete(shown, stem)
		}
	}
	return shown, nil
}
