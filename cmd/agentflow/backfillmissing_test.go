package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app/api"
	"agentflow/cmd/agentflow/cli"
)

// missing is the report of a backfill over an incomplete history.
type missing struct {
	api.BackfillReport
	said string // to people
	code int
}

// backfillWithout runs it in a copy of the repository without the objects with these names, and
// once more, for programs, in another copy.
func (l *lab) backfillWithout(names ...string) (m missing) {
	l.T.Helper()
	for _, asJSON := range []bool{false, true} {
		dir := filepath.Join(l.T.TempDir(), "copy")
		if err := os.CopyFS(dir, os.DirFS(l.Repo)); err != nil {
			l.T.Fatal(err)
		}
		damaged := l.in(dir)
		for _, name := range names {
			id := damaged.Git("rev-parse", name)
			damaged.Remove(".git/objects/" + id[:2] + "/" + id[2:])
		}
		cmd := damaged.Command("backfill")
		if asJSON {
			cmd.Args = append(cmd.Args, "--json")
		}
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		_ = cmd.Run() // the exit code is checked
		if code := cmd.ProcessState.ExitCode(); asJSON && code != m.code {
			l.T.Errorf("exit code %d for people and %d for programs", m.code, code)
		}
		m.code = cmd.ProcessState.ExitCode()
		if !asJSON {
			m.said = said.String()
		} else if err := json.Unmarshal(out.Bytes(), &m.BackfillReport); err != nil {
			l.T.Errorf("%v in %q", err, out.String())
		}
		if got := len(strings.Split(damaged.Commits(), ", ")); asJSON && got != m.Recorded {
			l.T.Errorf("%d entries, and it tells of %d", got, m.Recorded)
		}
	}
	return m
}

// TestBackfillOfMissingObjects: readable commits are recorded, and the others are named,
// with a remedy.
func TestBackfillOfMissingObjects(t *testing.T) {
	l := newLab(t, "")
	for _, title := range []string{"two", "three", "four"} {
		l.Commit("file", title)
	}
	for name, c := range map[string]struct {
		lost                        []string
		recorded, uncounted, unread int
		code                        int
		says                        []string
	}{
		"nothing":  {nil, 4, 0, 0, cli.ExitOK, []string{"recorded 4 commits of 4\n"}},
		"contents": {[]string{"HEAD~1:file"}, 4, 2, 0, cli.ExitError, []string{"recorded 4 commits of 4; 2 without line counts\n", "without line counts: contents are missing · three\n", "git fetch --refetch"}},
		"a tree": {[]string{"HEAD^{tree}"}, 3, 0, 1, cli.ExitNotRecorded,
			[]string{"recorded 3 commits of 4; 1 cannot be read\n", "not recorded: its files are missing · four\n", "then backfill again"}},
	} {
		m := l.backfillWithout(c.lost...)
		if m.Recorded != c.recorded || m.Uncounted != c.uncounted || m.Unread != c.unread || len(m.Missing) != c.uncounted+c.unread || m.code != c.code {
			t.Errorf("%s: exit code %d and %+v", name, m.code, m.BackfillReport)
		}
		for _, says := range c.says {
			if !strings.Contains(m.said, says) {
				t.Errorf("%s: it says %q, want %q", name, m.said, says)
			}
		}
	}
}
