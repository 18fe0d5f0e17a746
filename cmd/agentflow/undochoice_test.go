package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"agentflow/app"
	"agentflow/cmd/agentflow/cli"
)

// TestUndoAsksForEachPath: on a terminal undo asks about each path that is only
// possibly the run's, and then once for the whole.
func TestUndoAsksForEachPath(t *testing.T) {
	l := newLab(t, "")
	for _, pair := range l.Env {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	t.Chdir(l.Repo)
	for _, c := range []struct {
		name, answers string
		sure          []string
		asked         int
		stays         string
	}{
		{"none", "\nn\ny\n", []string{"own=shown"}, 3, "a b"},
		{"one", "n\ny\ny\n", []string{"own=shown"}, 3, "a"},
		{"all", "y\ny\ny\n", []string{"own=shown"}, 3, ""},
		{"all, and then no", "y\ny\nn\n", []string{"own=shown"}, 3, "a b own"},
		{"one of what is only possible", "y\nn\nn\ny\n", nil, 4, "b own"},
		{"none of what is only possible", "n\nn\nn\n", nil, 3, "a b own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l.Agentflow("run", "--agent", "command", c.name, "--", "sh", "-c", "cat >/dev/null; echo 1 > own; echo 1 > a; echo 1 > b")
			if err := rejudgeNewest(c.sure); err != nil {
				t.Fatal(err)
			}
			var out, said bytes.Buffer
			terminal := &cli.Env{Voice: cli.Voice{Out: &out, Err: &said, ErrTTY: true}, In: iotest.OneByteReader(strings.NewReader(c.answers)), InTTY: true, Environ: os.Environ()}
			err := execute(app.Listen(t.Context(), terminal.Hear), terminal, []string{"undo", "last"})
			if asked := strings.Count(said.String(), "[y/N]"); asked != c.asked {
				t.Errorf("asked %d times: %v\n%s%s", asked, err, out.String(), said.String())
			}
			var left []string
			for _, name := range []string{"a", "b", "own"} {
				if _, err := os.Lstat(filepath.Join(l.Repo, name)); err == nil {
					left = append(left, name)
				}
				_ = os.Remove(filepath.Join(l.Repo, name))
			}
			if got := strings.Join(left, " "); got != c.stays {
				t.Errorf("%q stays, want %q: %v\n%s%s", got, c.stays, err, out.String(), said.String())
			}
			if failed := err != nil; failed != (strings.Contains(c.stays, "own") && !strings.HasPrefix(c.name, "one")) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}
