//go:build unix

package main

import (
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkLarge is what commands take with 100,000 entries and 10,000 facts in 1,000
// files, as whole processes, each in turn with a git grep of one word over the same
// files.
func BenchmarkLarge(b *testing.B) {
	l := newLab(b, "")
	l.fillWithFacts(100_000, 1000, 10)
	l.Agentflow("index")
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
		{"status", func() []string { return []string{"status"} }},
		{"list-20", func() []string { return []string{"memory", "list", "--limit", "20"} }},
		{"list", func() []string { return []string{"memory", "list"} }},
		{"stats", func() []string { return []string{"memory", "stats"} }},
		{"export", func() []string { return []string{"memory", "export"} }},
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
