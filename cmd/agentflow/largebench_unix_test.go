//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkLarge measures commands with 100,000 entries and 10,000 facts in 1,000
// files, as whole processes, each in turn with a git grep of one word over the same
// files.
func BenchmarkLarge(b *testing.B) {
	l := newLab(b, "")
	markdown := l.fillWithFacts(100_000, 1000, 10)
	l.Agentflow("index")
	index, err := os.Stat(filepath.Join(l.Repo, ".agentflow/state/index.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("the index is %.2f times as large as %d MB of Markdown", float64(index.Size())/float64(markdown), markdown>>20)
	id := strings.Fields(l.Agentflow("remember", "The clock of the cache is fake."))[0]
	n := 0
	for _, c := range []struct {
		name string
		args func() []string
	}{
		{"version", func() []string { return []string{"version"} }},
		{"search", func() []string { return []string{"search", words[7], words[500]} }},
		{"show", func() []string { return []string{"show", id} }},
		{"show-last", func() []string { return []string{"show", "last"} }},
		{"remember", func() []string { n++; return []string{"remember", fmt.Sprint("A fact with the number ", n)} }},
		{"pin", func() []string { n++; return []string{[]string{"pin", "unpin"}[n%2], id} }},
		{"forget", func() []string {
			n++
			return []string{"forget", "--yes", strings.Fields(l.Agentflow("remember", fmt.Sprint("Nobody needs the number ", n)))[0]}
		}},
		{"status", func() []string { return []string{"status"} }},
		{"doctor", func() []string { return []string{"doctor"} }},
		{"list-20", func() []string { return []string{"memory", "list", "--limit", "20"} }},
		{"list", func() []string { return []string{"memory", "list"} }},
		{"stats", func() []string { return []string{"memory", "stats"} }},
		{"log-20", func() []string { return []string{"log", "-n", "20"} }},
		{"log-all", func() []string { return []string{"log", "-n", "0", "--all"} }},
		{"export", func() []string { return []string{"memory", "export"} }},
		{"consolidate", func() []string { return []string{"consolidate", "--dry-run"} }},
		{"search-all-changed", func() []string {
			n++
			l.changeAll(n)
			return []string{"search", words[7], words[500]}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			most := int64(0)
			ours := func() time.Duration {
				cmd := l.Command(c.args()...)
				took := wall(b, cmd)
				most = max(most, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
				return took
			}
			theirs := func() time.Duration {
				cmd := exec.Command("git", "grep", "--no-index", "-il", words[500], "--", ".agentflow/memory")
				cmd.Dir = l.Repo
				return wall(b, cmd)
			}
			sideBySide(b, ours, theirs)
			b.ReportMetric(float64(most)/1024, "MB") // kilobytes on Linux
		})
	}
}

// changeAll brings the index up to date and then gives every chunk of memory another text.
func (l *lab) changeAll(n int) {
	l.T.Helper()
	l.Agentflow("index")
	files, err := filepath.Glob(filepath.Join(l.Repo, ".agentflow/memory/*.md"))
	for _, file := range files {
		text, e := os.ReadFile(file)
		changed := strings.ReplaceAll(string(text), "- **Success**: true", fmt.Sprintf("- **Success**: true\n- **Change**: %d", n))
		err = errors.Join(err, e, os.WriteFile(file, []byte(changed), 0o600))
	}
	if err != nil {
		l.T.Fatal(err)
	}
}
