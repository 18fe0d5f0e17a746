package hook

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentflow/internal/testing/randomtest"
	. "agentflow/internal/testing/sessiontest"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// sessionsVar is the environment variable with the number of random sessions.
const sessionsVar = "AGENTFLOW_SESSIONS"

// TestPersonCommitsMeanwhile plays random sessions in which a person edits, commits, amends,
// stashes and switches branches during and between the turns. The writes of the agent's file
// tool are shown, changes that only the person made are not claimed, and a session with a write
// has an entry.
func TestPersonCommitsMeanwhile(t *testing.T) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv(sessionsVar), "12"))
	if err != nil {
		t.Fatal(err)
	}
	var all attributed
	t.Cleanup(func() { t.Logf("%+v", all) })
	number := 0
	randomtest.Check(t, n, func(t *testing.T, rnd *rand.Rand) {
		number++
		t.Run(fmt.Sprint(number), func(t *testing.T) { newMeanwhile(t, rnd).playOut(&all) })
	})
	if missed := all.Wrote - all.Shown; missed > 1 && 100*missed > all.Wrote { // one of few files is more than 1 percent
		t.Errorf("%d of %d files that the agent wrote are not shown:\n%s", missed, all.Wrote, strings.Join(all.misses, "\n\n"))
	}
}

// attributed counts over all sessions.
type attributed struct {
	Sessions, Linked, NoEntry, Wrote, Shown, PersonOnly, Claimed, Elsewhere int
	misses                                                                  []string // what happened where a file is not shown
}

// meanwhile is a session with a person at work in the same work tree.
type meanwhile struct {
	*lab
	rnd            *rand.Rand
	player         *Player
	dir            string // the work tree
	words          int
	agent, persons map[string]bool // paths that they wrote
	log            []string
}

func newMeanwhile(t *testing.T, rnd *rand.Rand) *meanwhile {
	m := &meanwhile{lab: newLab(t), rnd: rnd, agent: map[string]bool{}, persons: map[string]bool{}}
	m.dir = m.Repo
	for _, name := range []string{"a.txt", "b.txt", "c.txt", "sub/d.txt"} {
		m.Write(name, m.text("base"))
	}
	m.Git("add", "-A")
	m.Git("commit", "-qm", "base")
	if rnd.IntN(2) == 0 {
		m.dir = m.Repo + "-linked"
		m.Git("worktree", "add", "-q", "-b", "linked", m.dir)
	}
	m.player = m.lab.player()
	m.player.Dir = m.dir
	return m
}

// text has lines that no other text has.
func (m *meanwhile) text(of string) string {
	m.words++
	var b strings.Builder
	for i := range 3 + m.rnd.IntN(4) {
		fmt.Fprintf(&b, "line %d of the %s, number %d\n", i, of, m.words)
	}
	return b.String()
}

func (m *meanwhile) note(format string, args ...any) {
	m.log = append(m.log, fmt.Sprintf(format, args...))
}

// file returns an existing path or, sometimes, a new one.
func (m *meanwhile) file() string {
	return randomtest.Pick(m.rnd, "a.txt", "b.txt", "c.txt", "sub/d.txt", "new.txt", "sub/new.txt", fmt.Sprintf("f%d.txt", m.rnd.IntN(6)))
}

// edited returns a file with new lines at its beginning, at its end, or as its only content.
func (m *meanwhile) edited(name, by string) string {
	old, err := os.ReadFile(filepath.Join(m.dir, name))
	if text := m.text(by); err != nil {
		return text
	} else {
		return randomtest.Pick(m.rnd, text+string(old), string(old)+text, text)
	}
}

// agentActs returns a random action of the agent in a turn.
func (m *meanwhile) agentActs() Act {
	return func(p *Player) {
		switch m.rnd.IntN(8) {
		case 0:
			Run(randomtest.Pick(m.rnd, "true", "ls", "git status --short", "cat a.txt"))(p)
		default:
			name := m.file()
			m.agent[name] = true
			m.note("agent writes %s", name)
			Write(filepath.Join(m.dir, name), m.edited(name, "agent"))(p)
		}
	}
}

// personActs does a random action of the person in a terminal or an editor.
func (m *meanwhile) personActs() {
	git := func(args ...string) {
		out, err := m.TryGit(append([]string{"-C", m.dir}, args...)...)
		m.note("person: git %v: %s %v", args, strings.TrimSpace(out), err)
	}
	name := m.file()
	switch m.rnd.IntN(13) {
	case 0, 1:
		m.persons[name] = true
		m.note("person edits %s", name)
		m.Write(filepath.Join(m.dir, name), m.edited(name, "person"))
	case 2, 3:
		git("add", "-A")
		git("commit", "-qm", "all of it")
	case 4:
		git("commit", "-qam", "what is tracked")
	case 5:
		git("add", "--", name)
		git("commit", "-qm", "one file", "--", name)
	case 6:
		git("commit", "-qa", "--amend", "--no-edit")
	case 7:
		git("stash", "-qu")
	case 8:
		git("stash", "pop", "-q")
	case 9:
		git("checkout", "-q", "-b", fmt.Sprintf("side%d", m.words))
	case 10:
		git("checkout", "-q", randomtest.Pick(m.rnd, "main", "linked", "-"))
	case 11:
		git("checkout", "-q", "--", name)
	case 12:
		m.commitPart(name, git)
	}
}

// commitPart commits the first half of a file's lines, as 'git add -p' does.
func (m *meanwhile) commitPart(name string, git func(...string)) {
	full := filepath.Join(m.dir, name)
	text, err := os.ReadFile(full)
	if err != nil {
		return
	}
	lines := strings.SplitAfter(string(text), "\n")
	m.Write(full, strings.Join(lines[:len(lines)/2], ""))
	git("add", "--", name)
	m.Write(full, string(text))
	git("commit", "-qm", "a part")
}

// playOut plays the session and compares its entries with the actions.
func (m *meanwhile) playOut(all *attributed) {
	m.player.Start("startup")
	for range 1 + m.rnd.IntN(3) {
		acts := []Act{}
		for range 1 + m.rnd.IntN(4) {
			acts = append(acts, m.agentActs())
			if m.rnd.IntN(2) == 0 {
				acts = append(acts, func(*Player) { m.personActs() })
			}
		}
		m.player.Turn("Change the files", append(acts, Say("They are changed."))...)
		for range m.rnd.IntN(4) {
			m.personActs()
		}
	}
	m.player.End("prompt_input_exit")
	m.judge(all)
}

func (m *meanwhile) judge(all *attributed) {
	all.Sessions++
	if m.dir != m.Repo {
		all.Linked++
	}
	listed, sessions := map[string]changeset.Certainty{}, 0
	for _, e := range m.entries() {
		if e.Kind != memory.KindSession {
			continue
		}
		sessions++
		for _, c := range slices.Concat(e.Changes.Items, e.Uncommitted.Items) {
			if listed[c.Path] != changeset.Shown {
				listed[c.Path] = c.Certainty
			}
			if strings.Contains(c.Note, "meanwhile") || strings.Contains(c.Note, "at the end") {
				all.Elsewhere++
			}
		}
	}
	failed := false
	for name := range m.agent {
		all.Wrote++
		if listed[name] == changeset.Shown {
			all.Shown++
			continue
		}
		failed = true
		m.note("NOT SHOWN %s: %q", name, listed[name])
	}
	for name := range m.persons {
		if m.agent[name] {
			continue
		}
		all.PersonOnly++
		if listed[name].Sure() {
			all.Claimed++
			m.T.Errorf("%s is %s, and only the person wrote it", name, listed[name])
		}
	}
	if len(m.agent) > 0 && sessions == 0 {
		all.NoEntry++
		m.T.Error("the session has no entry")
	}
	for _, e := range m.entries() {
		m.note("%s", told(e))
	}
	if failed {
		all.misses = append(all.misses, strings.Join(m.log, "\n"))
	}
	if m.T.Failed() {
		m.T.Log(strings.Join(m.log, "\n"))
	}
}
