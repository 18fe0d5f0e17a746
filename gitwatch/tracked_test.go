package gitwatch

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"agentflow/internal/testing/gittest"
)

// TestTracked asks git which files it tracks, with indexes of every kind.
func TestTracked(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(f *fixture)
	}{
		{"none", func(*fixture) {}},
		{"no index", func(f *fixture) { gittest.Must(t, os.Remove(f.Path(".git/index"))) }},
		{"version 2", func(f *fixture) { f.Git("update-index", "--index-version", "2") }},
		{"version 4", func(f *fixture) { f.Git("update-index", "--index-version", "4") }},
		{"split", func(f *fixture) { f.Git("update-index", "--split-index") }},
		{"many before", func(f *fixture) {
			for i := range 2000 {
				f.Write(fmt.Sprintf("+%04d", i), "x")
			}
			f.Git("add", "-A")
		}},
		{"conflict", func(f *fixture) {
			f.Git("update-index", "--force-remove", ".agentflow/memory/a.md")
			f.TryWith("100644 "+strings.Repeat("1", 40)+" 1\t.agentflow/memory/a.md\n", "update-index", "--index-info")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.Write(".agentflow/memory/mine.md", "mine\n")
			f.Commit("base", ".agentflow/memory/a.md", "a\n", ".AgentFlow/memory/B.md", "b\n", ".agentflow/memory/sub/\u00e4 \".md", "c\n",
				".agentflow.md", "d\n", ".agentflow0", "e\n", ".agentfloW", "f\n", ".a", "g\n", "z", "h\n", "Sub/.agentflow/memory/x.md", "i\n")
			f.Git("rm", "-q", "--cached", "--ignore-unmatch", ".agentflow/memory/mine.md")
			if c.name == "none" {
				f.Git("rm", "-rq", "--cached", ".")
			}
			c.build(f)
			for _, folder := range []string{".agentflow", ".agentflow/memory", "Sub/.agentflow", "sub/.agentflow", "none", "z"} {
				want := map[string]string{}
				for _, line := range fields(f.Git("ls-files", "-sz")) {
					about, name, _ := strings.Cut(line, "\t")
					if low := strings.ToLower(name); low == strings.ToLower(folder) || strings.HasPrefix(low, strings.ToLower(folder)+"/") {
						want[name] = strings.Fields(about)[1]
					}
				}
				got, err := f.open().Tracked(t.Context(), folder)
				if err != nil || !maps.Equal(got, want) {
					t.Errorf("%s: %v, %v; want %v", folder, got, err, want)
				}
			}
		})
	}
}

// TestTrackedOfADamagedIndex says so, and does not say that nothing is.
func TestTrackedOfADamagedIndex(t *testing.T) {
	f := newFixture(t)
	f.Commit("base", ".agentflow/memory/a.md", "a\n", "z", "z\n")
	whole, err := os.ReadFile(f.Path(".git/index"))
	gittest.Must(t, err)
	r := f.open()
	for _, n := range []int{0, 4, 11, 12, 40, 80} {
		gittest.Must(t, os.WriteFile(f.Path(".git/index"), whole[:n], 0o644))
		if ids, err := r.Tracked(t.Context(), ".agentflow"); err == nil {
			t.Errorf("the first %d bytes: %v", n, ids)
		}
	}
}
