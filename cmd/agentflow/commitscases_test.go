package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentflow/app"
	"agentflow/memory"
)

// settleCases do something in a repository with hooks and say what entries of
// commits memory holds then. The commit from before the hooks has none.
var settleCases = map[string]func(l *lab) string{
	"commits": func(l *lab) string {
		l.made(l.Repo, "a", "one")
		l.made(l.Repo, "a", "two")
		return "one, two"
	},
	"a merge, its own resolution": func(l *lab) string {
		l.side("a", "aside")
		l.made(l.Repo, "a", "mine")
		_ = l.gitMay("merge", "-q", "side")
		l.Write("a", "both\n")
		l.Git("add", "a")
		l.Git("commit", "-qm", "resolved")
		l.made(l.Repo, "b", "after")
		return "aside on side, mine, resolved, after"
	},
	"a merge without a word": func(l *lab) string {
		l.side("a", "aside")
		l.Git("merge", "-q", "--no-ff", "-m", "brought", "side")
		l.made(l.Repo, "b", "after")
		return "aside on side, brought, after"
	},
	"a squash merge": func(l *lab) string {
		l.side("a", "aside")
		l.Git("merge", "-q", "--squash", "side")
		l.Git("commit", "-qm", "squashed")
		return "aside on side, squashed"
	},
	"cherry-picks of others and of one's own": func(l *lab) string {
		l.side("a", "aside")
		l.settled()
		l.Git("cherry-pick", "side")
		foreign := l.Git("commit-tree", "-m", "foreign", "-p", "HEAD", l.Git("write-tree"))
		l.Git("cherry-pick", "--allow-empty", foreign)
		l.made(l.Repo, "b", "after")
		return "aside on side, foreign, after"
	},
	"a revert, and doing it again": func(l *lab) string {
		l.made(l.Repo, "a", "one")
		l.Git("revert", "--no-edit", "HEAD")
		l.Git("revert", "--no-edit", "HEAD")
		l.made(l.Repo, "b", "after")
		title := strings.Split(l.Git("log", "-3", "--format=%s"), "\n")
		return "one, Revert \"one\", " + title[1] + ", after"
	},
	"a rebase": func(l *lab) string {
		l.side("a", "aside")
		l.made(l.Repo, "b", "main goes on")
		l.settled()
		l.Git("rebase", "-q", "main", "side")
		l.made(l.Repo, "c", "after")
		return "aside on side, main goes on, after on side"
	},
	"a rebase before anything was read": func(l *lab) string {
		l.side("a", "aside")
		l.made(l.Repo, "b", "main goes on")
		l.Git("rebase", "-q", "main", "side")
		return "main goes on, aside on side"
	},
	"a rebase with a conflict, read in the middle": func(l *lab) string {
		l.side("a", "aside")
		l.made(l.Repo, "a", "main goes on")
		l.settled()
		_ = l.gitMay("rebase", "-q", "main", "side")
		l.settled()
		l.Write("a", "both\n")
		l.Git("add", "a")
		l.settled()
		l.with("GIT_EDITOR=true").Git("rebase", "--continue")
		l.made(l.Repo, "c", "after")
		return "aside on side, main goes on, after on side"
	},
	"an interactive rebase": func(l *lab) string {
		for _, title := range []string{"one", "two", "three"} {
			l.made(l.Repo, title, title)
		}
		l.settled()
		l.made(l.Repo, "four", "four")
		// one stays, two is reworded, three and four become one.
		l.with("GIT_SEQUENCE_EDITOR="+editing("-e 2s/pick/reword/ -e 4s/pick/fixup/"), "GIT_EDITOR="+editing("-e s/two/zwei/")).Git("rebase", "-qi", "HEAD~4")
		return "one, two, three, three"
	},
	"amends": func(l *lab) string {
		l.made(l.Repo, "a", "one")
		l.settled()
		l.Git("commit", "-q", "--amend", "-m", "one better")
		l.made(l.Repo, "a", "two")
		l.Git("commit", "-q", "--amend", "-m", "two better")
		l.Git("commit", "-q", "--amend", "-m", "two best")
		return "one, two best"
	},
	"what was forgotten": func(l *lab) string {
		l.made(l.Repo, "a", "one")
		l.made(l.Repo, "b", "two")
		l.settled()
		for id, e := range l.Entries() {
			if e.Title == "two" {
				l.Agentflow("forget", "--yes", id)
			}
		}
		for i := range 3 {
			l.Git("commit", "-q", "--amend", "-m", fmt.Sprint("two again ", i))
			l.settled()
		}
		return "one"
	},
	"a linked work tree, removed before anything was read": func(l *lab) string {
		linked := filepath.Join(filepath.Dir(l.Repo), "linked")
		l.Git("worktree", "add", "-q", "-b", "topic", linked)
		l.made(linked, "a", "one")
		l.made(linked, "a", "two")
		l.In(linked).Git("merge", "-q", "--no-ff", "-m", "nothing", "main")
		l.Git("worktree", "remove", linked)
		l.Git("merge", "-q", "--no-ff", "-m", "brought", "topic")
		return "one in linked on topic, two in linked on topic, brought"
	},
	"detached": func(l *lab) string {
		l.Git("checkout", "-q", "--detach")
		l.made(l.Repo, "a", "one")
		return "one on "
	},
	"a day edited by hand": func(l *lab) string {
		l.made(l.Repo, "a", "one")
		l.settled()
		days, err := filepath.Glob(filepath.Join(l.Repo, ".agentflow/memory/[0-9]*.md"))
		if err != nil || len(days) != 1 {
			l.T.Fatal(days, err)
		}
		text, err := os.ReadFile(days[0])
		if err != nil {
			l.T.Fatal(err)
		}
		l.Write(days[0], strings.Replace(string(text), "**Task**: one", "**Task**: one, by hand", 1))
		l.made(l.Repo, "a", "two")
		return "one, two"
	},
	"pulls of a few and of many": func(l *lab) string {
		there := filepath.Join(filepath.Dir(l.Repo), "there")
		l.Git("clone", "-q", l.Repo, there)
		l.Git("remote", "add", "origin", there)
		l.made(there, "x", "theirs")
		l.Git("pull", "-q", "origin", "main")
		l.made(there, "x", "theirs too")
		l.made(l.Repo, "a", "mine")
		l.Git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
		many := l.In(there).Git("rev-parse", "HEAD")
		for i := range app.MaxPulled {
			many = l.In(there).Git("commit-tree", "-m", fmt.Sprint("of many ", i), "-p", many, "HEAD^{tree}")
		}
		l.In(there).Git("update-ref", "HEAD", many)
		l.Git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
		l.made(l.Repo, "a", "after")
		merges := strings.Split(l.Git("log", "--merges", "--format=%s"), "\n")
		return "theirs, theirs too on , mine, " + memory.Title(merges[1]) + ", " + memory.Title(merges[0]) + ", after"
	},
	"the same change again and again": func(l *lab) string {
		for _, text := range []string{"x\n", "", "x\n", ""} {
			l.Write("a", text)
			l.Git("add", "a")
			l.Git("commit", "-qm", "wip")
		}
		return "wip, wip, wip, wip"
	},
	"runs": func(l *lab) string {
		l.Agentflow("run", "-q", "--agent", "command", "task", "--", "sh", "-c", "echo x > x; git add x; git commit -qm 'of a run'")
		l.Agentflow("run", "-q", "--no-record", "--agent", "command", "task", "--", "sh", "-c", "echo y > y; git add y; git commit -qm unrecorded")
		l.made(l.Repo, "a", "mine")
		return "mine"
	},
}
