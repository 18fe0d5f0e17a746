package commit_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/commit"
	"agentflow/app/forget"
	"agentflow/app/list"
	"agentflow/app/run"
	"agentflow/app/settle"
	"agentflow/app/setup"
	"agentflow/internal/testing/apptest"
)

// hooked is a repository with hooks and a memory.
type hooked struct {
	*apptest.Place
	m *app.Memory
}

func newHooked(p *apptest.Place) *hooked {
	p.T.Helper()
	h := &hooked{p, p.Memory()}
	apptest.Must(commit.InstallHooks(p.T.Context(), h.m))(p.T)
	apptest.Must(setup.Init(p.T.Context(), h.m))(p.T)
	return h
}

// settled returns the titles of the commits' entries, after an operation that reads
// memory has written them.
func (h *hooked) settled() string {
	h.T.Helper()
	apptest.Must(list.Log(h.T.Context(), h.m, list.LogRequest{All: true}))(h.T)
	return h.Commits()
}

// side creates a branch from the checked-out commit, adds a commit to it, and
// switches back.
func (h *hooked) side(file, title string) {
	h.T.Helper()
	h.Git("checkout", "-qb", "side")
	h.Commit(file, title)
	h.Git("checkout", "-q", "main")
}

// editing returns an editor that applies a sed script.
func editing(script string) string {
	return `f() { sed ` + script + ` "$1" >"$1.new" && mv "$1.new" "$1"; }; f`
}

func TestSettle(t *testing.T) {
	for name, act := range settleCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHooked(apptest.NewRepository(t))
			want := strings.Split(act(h), ", ")
			slices.Sort(want)
			if got := h.settled(); got != strings.Join(want, ", ") {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
			if strings.HasPrefix(name, "pulls") {
				return // there is more to be had
			}
			apptest.Must(commit.Backfill(t.Context(), h.m, commit.BackfillRequest{Last: settle.BackfillLast}))(t)
			added := strings.ReplaceAll(h.settled(), "start on ", "start")
			if want = append(want, "start"); name == "runs" {
				want = append(want, "unrecorded on ") // now that it is asked for
			}
			slices.Sort(want)
			if added != strings.Join(want, ", ") {
				t.Errorf("after backfill\n got %s\nwant %s", added, strings.Join(want, ", "))
			}
		})
	}
}

// TestSettleInOddRepositories: the first commit of all, a shallow clone, and
// SHA-256.
func TestSettleInOddRepositories(t *testing.T) {
	from := apptest.NewRepository(t)
	from.Commit("a", "two")
	for name, begin := range map[string][]string{
		"unborn": {"init", "-q"}, "SHA-256": {"init", "-q", "--object-format=sha256"}, "shallow": {"clone", "-q", "--depth=1", "file://" + from.Repo, "."},
	} {
		p := apptest.NewFolder(t)
		p.Git(begin...)
		h := newHooked(p)
		h.Commit("b", "first here")
		if got := h.settled(); got != "first here" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// settleCases change a repository with hooks, and return the entries of
// commits that memory then holds. The commit from before the hooks has none.
var settleCases = map[string]func(h *hooked) string{
	"commits": func(h *hooked) string {
		h.Commit("a", "one")
		h.Commit("a", "two")
		return "one, two"
	},
	"a merge, its own resolution": func(h *hooked) string {
		h.side("a", "aside")
		h.Commit("a", "mine")
		_, _ = h.TryGit("merge", "-q", "side")
		h.Write("a", "both\n")
		h.Git("add", "a")
		h.Git("commit", "-qm", "resolved")
		h.Commit("b", "after")
		return "aside on side, mine, resolved, after"
	},
	"a merge without a word": func(h *hooked) string {
		h.side("a", "aside")
		h.Git("merge", "-q", "--no-ff", "-m", "brought", "side")
		h.Commit("b", "after")
		return "aside on side, after"
	},
	"a squash merge": func(h *hooked) string {
		h.side("a", "aside")
		h.Git("merge", "-q", "--squash", "side")
		h.Git("commit", "-qm", "squashed")
		return "aside on side, squashed"
	},
	"cherry-picks of others and of one's own": func(h *hooked) string {
		h.side("a", "aside")
		h.settled()
		h.Git("cherry-pick", "side")
		foreign := h.Git("commit-tree", "-m", "foreign", "-p", "HEAD", h.Git("write-tree"))
		h.Git("cherry-pick", "--allow-empty", foreign)
		h.Commit("b", "after")
		return "aside on side, foreign, after"
	},
	"a revert, and doing it again": func(h *hooked) string {
		h.Commit("a", "one")
		h.Git("revert", "--no-edit", "HEAD")
		h.Git("revert", "--no-edit", "HEAD")
		h.Commit("b", "after")
		title := strings.Split(h.Git("log", "-3", "--format=%s"), "\n")
		return "one, Revert \"one\", " + title[1] + ", after"
	},
	"a rebase": func(h *hooked) string {
		h.side("a", "aside")
		h.Commit("b", "main goes on")
		h.settled()
		h.Git("rebase", "-q", "main", "side")
		h.Commit("c", "after")
		return "aside on side, main goes on, after on side"
	},
	"a rebase before anything was read": func(h *hooked) string {
		h.side("a", "aside")
		h.Commit("b", "main goes on")
		h.Git("rebase", "-q", "main", "side")
		return "main goes on, aside on side"
	},
	"a rebase with a conflict, read in the middle": func(h *hooked) string {
		h.side("a", "aside")
		h.Commit("a", "main goes on")
		h.settled()
		_, _ = h.TryGit("rebase", "-q", "main", "side")
		h.settled()
		h.Write("a", "both\n")
		h.Git("add", "a")
		h.settled()
		h.With("GIT_EDITOR=true").Git("rebase", "--continue")
		h.Commit("c", "after")
		return "aside on side, main goes on, after on side"
	},
	"an interactive rebase": func(h *hooked) string {
		for _, title := range []string{"one", "two", "three"} {
			h.Commit(title, title)
		}
		h.settled()
		h.Commit("four", "four")
		// one stays, two is reworded, three and four become one.
		h.With("GIT_SEQUENCE_EDITOR="+editing("-e 2s/pick/reword/ -e 4s/pick/fixup/"), "GIT_EDITOR="+editing("-e s/two/zwei/")).Git("rebase", "-qi", "HEAD~4")
		return "one, two, three, three"
	},
	"amends": func(h *hooked) string {
		h.Commit("a", "one")
		h.settled()
		h.Git("commit", "-q", "--amend", "-m", "one better")
		h.Commit("a", "two")
		h.Git("commit", "-q", "--amend", "-m", "two better")
		h.Git("commit", "-q", "--amend", "-m", "two best")
		return "one, two best"
	},
	"what was forgotten": func(h *hooked) string {
		h.Commit("a", "one")
		h.Commit("b", "two")
		h.settled()
		for id, e := range h.Entries() {
			if e.Title == "two" {
				h.Forget(h.m, forget.Request{IDs: []string{id}})
			}
		}
		for i := range 3 {
			h.Git("commit", "-q", "--amend", "-m", fmt.Sprint("two again ", i))
			h.settled()
		}
		return "one"
	},
	"a linked work tree, removed before anything was read": func(h *hooked) string {
		linked := filepath.Join(filepath.Dir(h.Repo), "linked")
		h.Git("worktree", "add", "-q", "-b", "topic", linked)
		h.In(linked).Commit("a", "one")
		h.In(linked).Commit("a", "two")
		h.In(linked).Git("merge", "-q", "--no-ff", "-m", "nothing", "main")
		h.Git("worktree", "remove", linked)
		h.Git("merge", "-q", "--no-ff", "-m", "brought", "topic")
		return "one in linked on topic, two in linked on topic"
	},
	"detached": func(h *hooked) string {
		h.Git("checkout", "-q", "--detach")
		h.Commit("a", "one")
		return "one on "
	},
	"a day edited by hand": func(h *hooked) string {
		h.Commit("a", "one")
		h.settled()
		day := h.Days()[0]
		h.Write(day, strings.Replace(h.Read(day), "**Task**: one", "**Task**: one, by hand", 1))
		h.Commit("a", "two")
		return "one, two"
	},
	"pulls of a few and of many": func(h *hooked) string {
		there := filepath.Join(filepath.Dir(h.Repo), "there")
		h.Git("clone", "-q", h.Repo, there)
		h.Git("remote", "add", "origin", there)
		h.In(there).Commit("x", "theirs")
		h.Git("pull", "-q", "origin", "main")
		h.In(there).Commit("x", "theirs too")
		h.Commit("a", "mine")
		h.Git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
		many := h.In(there).Git("rev-parse", "HEAD")
		for i := range settle.MaxPulled {
			many = h.In(there).Git("commit-tree", "-m", fmt.Sprint("of many ", i), "-p", many, "HEAD^{tree}")
		}
		h.In(there).Git("update-ref", "HEAD", many)
		h.Git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
		h.Commit("a", "after")
		return "theirs, theirs too on , mine, after"
	},
	"the same change again and again": func(h *hooked) string {
		for _, text := range []string{"x\n", "", "x\n", ""} {
			h.Write("a", text)
			h.Git("add", "a")
			h.Git("commit", "-qm", "wip")
		}
		return "wip, wip, wip, wip"
	},
	"runs": func(h *hooked) string {
		apptest.Must(run.Run(h.T.Context(), h.m, apptest.ShellAgent("task", "echo x > x; git add x; git commit -qm 'of a run'")))(h.T)
		unrecorded := apptest.ShellAgent("task", "echo y > y; git add y; git commit -qm unrecorded")
		unrecorded.NoRecord = true
		apptest.Must(run.Run(h.T.Context(), h.m, unrecorded))(h.T)
		h.Commit("a", "mine")
		return "mine"
	},
}
