package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/open"
	"agentflow/cmd/agentflow/cli"
	"agentflow/cmd/agentflow/setup"
)

// imported makes a repository of n commits, each of some lines in a few of
// the files, two or three a day.
func (l *lab) imported(dir string, n, lines int) {
	l.T.Helper()
	l.Write(filepath.Join(dir, ".keep"), "")
	l.In(dir).Git("init", "-q")
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Env = dir, l.Env
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		l.T.Fatal(err)
	}
	feed(in, n, lines)
	if err := in.Close(); err != nil {
		l.T.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		l.T.Fatal(err)
	}
}

func feed(w io.Writer, n, lines int) {
	random := rand.New(rand.NewPCG(1, 2))
	files := map[int][]string{}
	for c := range n {
		message := fmt.Sprintf("part %d: the change with number %d", c%7, c)
		fmt.Fprintf(w, "commit refs/heads/main\ncommitter T <t@example.org> %d +0100\ndata %d\n%s\n", 1700000000+int64(c)*30000, len(message), message)
		for range 1 + random.IntN(4) {
			f := random.IntN(200)
			for files[f] == nil || len(files[f]) < lines {
				files[f] = append(files[f], fmt.Sprintf("line %d of %d", len(files[f]), random.IntN(1000)))
			}
			files[f][random.IntN(lines)] = fmt.Sprintf("changed by %d", c)
			text := strings.Join(files[f], "\n") + "\n"
			fmt.Fprintf(w, "M 100644 inline dir%d/file%d\ndata %d\n%s\n", f%20, f, len(text), text)
		}
	}
}

// TestKilledBackfill ends backfill with SIGKILL at random moments, alternating
// with complete backfills of a part. In the end each commit has one entry.
// AGENTFLOW_COMMAND_KILLS sets the number of kills.
func TestKilledBackfill(t *testing.T) {
	kills := number(t, "AGENTFLOW_COMMAND_KILLS", 8)
	l := newLab(t, "")
	const commits = 1200
	l.Repo = filepath.Join(filepath.Dir(l.Repo), "imported")
	l.imported(l.Repo, commits, 4)
	random := rand.New(rand.NewPCG(seed(t), 1))
	for range kills {
		killed := l.killed(upTo(random, 400*time.Millisecond), "backfill", "--last", "0")
		_, err := os.Stat(l.Path(".agentflow")) // absent after an early kill: then there is no status
		if killed && err == nil && random.IntN(3) == 0 {
			l.Agentflow("status")
		}
	}
	l.Agentflow("backfill", "--last", "0")
	if n := len(l.Entries()); n != commits {
		t.Errorf("%d entries of %d commits", n, commits)
	}
	if out := l.Agentflow("backfill", "--last", "0", "--json"); !strings.Contains(out, `"held": 1200`) {
		t.Errorf("once more: %s", out)
	}
}

// TestOfferBackfill asks on a terminal only, and takes no answer for no.
func TestOfferBackfill(t *testing.T) {
	l := newLab(t, "")
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(l.Home, "gitconfig"))
	for i, c := range []struct {
		terminal      bool
		answer, says  string
		commitEntries int
	}{
		{false, "y\n", "hint: 'agentflow backfill' takes", 0},
		{true, "\n", "Take the last 1 commit of the history into memory? [y/N] ", 0},
		{true, "", "[y/N] ", 0},
		{true, "Y\n", "recorded 1 commit of 1", 1},
	} {
		if err := os.RemoveAll(filepath.Join(l.Repo, ".agentflow")); err != nil {
			t.Fatal(err)
		}
		var out, said bytes.Buffer
		terminal := &cli.Env{Voice: cli.Voice{Out: &out, Err: &said, ErrTTY: c.terminal}, In: strings.NewReader(c.answer), InTTY: c.terminal}
		var err error
		if terminal.Memory, err = open.Open(t.Context(), l.Repo, app.Env{Vars: []string{"HOME=" + l.Home}}); err != nil {
			t.Fatal(err)
		}
		cmd := setup.Init(terminal)
		cmd.SetArgs([]string{})
		err = cmd.ExecuteContext(app.Listen(t.Context(), terminal.Hear))
		if err != nil || !strings.Contains(said.String(), c.says) || out.Len() > 0 {
			t.Errorf("%d: %v; said %q and printed %q", i, err, said.String(), out.String())
		}
		if n := len(l.Entries()); n != c.commitEntries {
			t.Errorf("%d: %d entries", i, n)
		}
	}
}

// BenchmarkBackfill compares the backfill of 10,000 generated commits with git's time for the
// same data: files and counted lines. It prints both times and their ratio.
// "listed" is git log --name-status --numstat, for which git omits the
// counts.
func BenchmarkBackfill(b *testing.B) {
	l := newLab(b, "")
	dir := filepath.Join(b.TempDir(), "imported")
	if named := os.Getenv("AGENTFLOW_BACKFILL"); named != "" {
		l.In(filepath.Dir(dir)).Git("clone", "-q", "--shared", named, dir)
	} else {
		l.imported(dir, 10_000, 200)
	}
	git := func(args ...string) time.Duration {
		start := time.Now()
		cmd := exec.Command("git", append([]string{"log", "-z"}, args...)...)
		cmd.Dir, cmd.Env = dir, l.Env
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	var ours, counted, listed time.Duration
	for b.Loop() {
		// Where many files were just deleted, ext4 is slow to make new ones.
		aside := b.TempDir()
		for i, name := range []string{".agentflow", ".git/agentflow"} {
			if err := os.Rename(filepath.Join(dir, name), filepath.Join(aside, fmt.Sprint(i))); err != nil && !os.IsNotExist(err) {
				b.Fatal(err)
			}
		}
		counted += git("--raw", "--numstat")
		listed += git("--name-status", "--numstat")
		start := time.Now()
		l.In(dir).Agentflow("backfill", "--last", "0")
		ours += time.Since(start)
	}
	b.ReportMetric(ours.Seconds()/float64(b.N), "s")
	b.ReportMetric(float64(ours)/float64(counted), "x-counted")
	b.ReportMetric(float64(ours)/float64(listed), "x-listed")
}
