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
		l.made(l.repo, "a", "one")
		l.made(l.repo, "a", "two")
		return "one, two"
	},
	"a merge, its own resolution": func(l *lab) string {
		l.side("a", "aside")
		l.made(l.repo, "a", "mine")
		_ = l.gitMay("merge", "-q", "side")
		l.write(filepath.Join(l.repo, "a"), "both\n")
		l.git(l.repo, "add", "a")
		l.git(l.repo, "commit", "-qm", "resolved")
		l.made(l.repo, "b", "after")
		return "aside on side, mine, resolved, after"
	},
	"a merge without a word": func(l *lab) string {
		l.side("a", "aside")
		l.git(l.repo, "merge", "-q", "--no-ff", "-m", "brought", "side")
		l.made(l.repo, "b", "after")
		return "aside on side, brought, after"
	},
	"a squash merge": func(l *lab) string {
		l.side("a", "aside")
		l.git(l.repo, "merge", "-q", "--squash", "side")
		l.git(l.repo, "commit", "-qm", "squashed")
		return "aside on side, squashed"
	},
	"cherry-picks of others and of one's own": func(l *lab) string {
		l.side("a", "aside")
		l.settled()
		l.git(l.repo, "cherry-pick", "side")
		foreign := l.git(l.repo, "commit-tree", "-m", "foreign", "-p", "HEAD", l.git(l.repo, "write-tree"))
		l.git(l.repo, "cherry-pick", "--allow-empty", foreign)
		l.made(l.repo, "b", "after")
		return "aside on side, foreign, after"
	},
	"a revert, and doing it again": func(l *lab) string {
		l.made(l.repo, "a", "one")
		l.git(l.repo, "revert", "--no-edit", "HEAD")
		l.git(l.repo, "revert", "--no-edit", "HEAD")
		l.made(l.repo, "b", "after")
		title := strings.Split(l.git(l.repo, "log", "-3", "--format=%s"), "\n")
		return "one, Revert \"one\", " + title[1] + ", after"
	},
	"a rebase": func(l *lab) string {
		l.side("a", "aside")
		l.made(l.repo, "b", "main goes on")
		l.settled()
		l.git(l.repo, "rebase", "-q", "main", "side")
		l.made(l.repo, "c", "after")
		return "aside on side, main goes on, after on side"
	},
	"a rebase before anything was read": func(l *lab) string {
		l.side("a", "aside")
		l.made(l.repo, "b", "main goes on")
		l.git(l.repo, "rebase", "-q", "main", "side")
		return "main goes on, aside on side"
	},
	"a rebase with a conflict, read in the middle": func(l *lab) string {
		l.side("a", "aside")
		l.made(l.repo, "a", "main goes on")
		l.settled()
		_ = l.gitMay("rebase", "-q", "main", "side")
		l.settled()
		l.write(filepath.Join(l.repo, "a"), "both\n")
		l.git(l.repo, "add", "a")
		l.settled()
		l.with("GIT_EDITOR=true").git(l.repo, "rebase", "--continue")
		l.made(l.repo, "c", "after")
		return "aside on side, main goes on, after on side"
	},
	"an interactive rebase": func(l *lab) string {
		for _, title := range []string{"one", "two", "three"} {
			l.made(l.repo, title, title)
		}
		l.settled()
		l.made(l.repo, "four", "four")
		// one stays, two is reworded, three and four become one.
		l.with("GIT_SEQUENCE_EDITOR="+editing("-e 2s/pick/reword/ -e 4s/pick/fixup/"), "GIT_EDITOR="+editing("-e s/two/zwei/")).git(l.repo, "rebase", "-qi", "HEAD~4")
		return "one, two, three, three"
	},
	"amends": func(l *lab) string {
		l.made(l.repo, "a", "one")
		l.settled()
		l.git(l.repo, "commit", "-q", "--amend", "-m", "one better")
		l.made(l.repo, "a", "two")
		l.git(l.repo, "commit", "-q", "--amend", "-m", "two better")
		l.git(l.repo, "commit", "-q", "--amend", "-m", "two best")
		return "one, two best"
	},
	"what was forgotten": func(l *lab) string {
		l.made(l.repo, "a", "one")
		l.made(l.repo, "b", "two")
		l.settled()
		for id, e := range l.entries() {
			if e.Title == "two" {
				l.agentflow(l.repo, "forget", "--yes", id)
			}
		}
		for i := range 3 {
			l.git(l.repo, "commit", "-q", "--amend", "-m", fmt.Sprint("two again ", i))
			l.settled()
		}
		return "one"
	},
	"a linked work tree, removed before anything was read": func(l *lab) string {
		linked := filepath.Join(filepath.Dir(l.repo), "linked")
		l.git(l.repo, "worktree", "add", "-q", "-b", "topic", linked)
		l.made(linked, "a", "one")
		l.made(linked, "a", "two")
		l.git(linked, "merge", "-q", "--no-ff", "-m", "nothing", "main")
		l.git(l.repo, "worktree", "remove", linked)
		l.git(l.repo, "merge", "-q", "--no-ff", "-m", "brought", "topic")
		return "one in linked on topic, two in linked on topic, brought"
	},
	"detached": func(l *lab) string {
		l.git(l.repo, "checkout", "-q", "--detach")
		l.made(l.repo, "a", "one")
		return "one on "
	},
	"a day edited by hand": func(l *lab) string {
		l.made(l.repo, "a", "one")
		l.settled()
		days, err := filepath.Glob(filepath.Join(l.repo, ".agentflow/memory/[0-9]*.md"))
		if err != nil || len(days) != 1 {
			l.t.Fatal(days, err)
		}
		text, err := os.ReadFile(days[0])
		if err != nil {
			l.t.Fatal(err)
		}
		l.write(days[0], strings.Replace(string(text), "**Task**: one", "**Task**: one, by hand", 1))
		l.made(l.repo, "a", "two")
		return "one, two"
	},
	"pulls of a few and of many": func(l *lab) string {
		there := filepath.Join(filepath.Dir(l.repo), "there")
		l.git(l.repo, "clone", "-q", l.repo, there)
		l.git(l.repo, "remote", "add", "origin", there)
		l.made(there, "x", "theirs")
		l.git(l.repo, "pull", "-q", "origin", "main")
		l.made(there, "x", "theirs too")
		l.made(l.repo, "a", "mine")
		l.git(l.repo, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
		many := l.git(there, "rev-parse", "HEAD")
		for i := range app.MaxPulled {
			many = l.git(there, "commit-tree", "-m", fmt.Sprint("of many ", i), "-p", many, "HEAD^{tree}")
		}
		l.git(there, "update-ref", "HEAD", many)
		l.git(l.repo, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
		l.made(l.repo, "a", "after")
		merges := strings.Split(l.git(l.repo, "log", "--merges", "--format=%s"), "\n")
		return "theirs, theirs too on , mine, " + memory.Title(merges[1]) + ", " + memory.Title(merges[0]) + ", after"
	},
	"the same change again and again": func(l *lab) string {
		for _, text := range []string{"x\n", "", "x\n", ""} {
			l.write(filepath.Join(l.repo, "a"), text)
			l.git(l.repo, "add", "a")
			l.git(l.repo, "commit", "-qm", "wip")
		}
		return "wip, wip, wip, wip"
	},
	"runs": func(l *lab) string {
		l.agentflow(l.repo, "run", "-q", "--agent", "command", "task", "--", "sh", "-c", "echo x > x; git add x; git commit -qm 'of a run'")
		l.agentflow(l.repo, "run", "-q", "--no-record", "--agent", "command", "task", "--", "sh", "-c", "echo y > y; git add y; git commit -qm unrecorded")
		l.made(l.repo, "a", "mine")
		return "mine"
	},
}
