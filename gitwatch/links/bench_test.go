package links

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/testing/gittest"
	"agentflow/internal/testing/runtest"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/retrieval"
)

// line writes n commits of three files each, a minute apart, with fast-import.
func line(f *runtest.Repo, branch, from string, first, n int) {
	f.T.Helper()
	var in strings.Builder
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&in, "commit refs/heads/%s\ncommitter A <a@example.org> %d +0000\ndata 5\n%05d\n", branch, gittest.Start.Unix()+int64(i*60), i)
		if i == first && from != "" {
			fmt.Fprintf(&in, "from %s\n", from)
		}
		for k := range 3 {
			text := fmt.Sprintf("%s %d %d\n", branch, i, k)
			fmt.Fprintf(&in, "M 100644 inline d%d/f%d.go\ndata %d\n%s", (i*7+k)%40, (i*13+k*5)%300, len(text), text)
		}
	}
	_, err := f.TryWith(in.String(), "fast-import", "--quiet", "--force")
	gittest.Must(f.T, err)
}

// entriesOf are the entries of runs that made one commit each.
func entriesOf(f *runtest.Repo, branch string) (entries []*memory.Entry) {
	f.T.Helper()
	r := f.Open()
	list, _, err := commitsSince(f.T.Context(), f.Dir, []string{strings.TrimSpace(f.Git("rev-parse", branch))}, 0, 20_000)
	gittest.Must(f.T, err)
	var ids []string
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	patches, err := r.PatchIDs(f.T.Context(), ids...)
	gittest.Must(f.T, err)
	for i, c := range list {
		entries = append(entries, &memory.Entry{
			ID: fmt.Sprint(i), Kind: memory.KindRun, Time: c.Time.Add(-time.Minute), Commits: []changeset.Commit{{ID: c.ID}},
			Patch: []string{patches[c.ID]}, Changes: changeset.List{Items: c.Files},
		})
	}
	return entries
}

// BenchmarkLinks asks about the commits of 10,000 entries in a repository of 10,000 commits, and
// compares with git listing them: none rewritten, the newest hundred rebased onto another commit,
// or the newest hundred reset away; with nothing known, with all known, and after one more commit.
func BenchmarkLinks(b *testing.B) {
	for _, name := range []string{"none", "rebased", "gone"} {
		f := runtest.New(b)
		line(f, "main", "", 0, 10_000)
		entries := entriesOf(f, "main")
		*f.Ticks += 10_000 * 60
		f.Git("checkout", "-q", "main")
		if name != "none" {
			f.Git("checkout", "-q", "-b", "copy", "HEAD~100")
			f.Commit("other", "other.txt", "other\n")
		}
		if name == "rebased" {
			f.Git("cherry-pick", "main~100..main")
		}
		if name != "none" {
			f.Git("branch", "-q", "-D", "main")
		}
		f.Git("repack", "-adq")
		files := Files{Cache: filepath.Join(f.Run, "links")}
		ask := func(b *testing.B, entries []*memory.Entry) map[string]retrieval.Link {
			l, err := Open(b.Context(), f.Open(), files)
			gittest.Must(b, err)
			found, err := l.Resolve(b.Context(), entries...)
			gittest.Must(b, err)
			gittest.Must(b, l.Save())
			return found
		}
		b.Run(name+"/first", func(b *testing.B) {
			for b.Loop() {
				_ = os.Remove(files.Cache)
				count := map[retrieval.LinkState]int{}
				for _, l := range ask(b, entries) {
					count[l.State]++
				}
				b.ReportMetric(float64(count[retrieval.LinkRewritten]), "rewritten")
				b.ReportMetric(float64(count[retrieval.LinkGone]), "gone")
			}
		})
		_ = os.Remove(files.Cache)
		ask(b, entries)
		known, err := os.ReadFile(files.Cache)
		gittest.Must(b, err)
		b.Run(name+"/known", func(b *testing.B) {
			for b.Loop() {
				ask(b, entries[:100])
			}
		})
		f.Commit("one more", "d1/f1.go", "more\n")
		b.Run(name+"/one-more-commit", func(b *testing.B) {
			for b.Loop() {
				gittest.Must(b, os.WriteFile(files.Cache, known, 0o600))
				ask(b, entries[:100])
			}
		})
		b.Run(name+"/git-rev-list", func(b *testing.B) {
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), "git", "rev-list", "--branches")
				cmd.Dir, cmd.Env = f.Dir, git.Env(os.Environ())
				if out, err := cmd.Output(); err != nil || len(out) < 41*9_900 {
					b.Fatalf("%v: %d bytes", err, len(out))
				}
			}
		})
	}
}
