package gitwatch

import (
	"os"
	"strings"
)

// matrixOp is what a run does.
type matrixOp struct {
	name   string
	unborn bool // it can be done where there is no commit
	do     func(m *matrixRun)
}

var matrixOps = []matrixOp{
	{"nothing", true, func(*matrixRun) {}},
	{"edit", true, func(m *matrixRun) { m.edit(m.some()); m.edit(m.some()) }},
	{"add", true, func(m *matrixRun) {
		m.edit("fresh/new.txt")
		m.edit("staged.txt")
		m.do("add", "--sparse", "staged.txt")
	}},
	{"delete", false, func(m *matrixRun) { _ = os.Remove(m.Path(m.some())); m.do("rm", "-q", "--sparse", "dir/deep/d.txt") }},
	{"rename", false, func(m *matrixRun) { m.do("mv", m.some(), "moved.txt") }},
	{"rename and edit", false, func(m *matrixRun) { m.do("mv", "long.txt", "moved.txt"); m.edit("moved.txt") }},
	{"rename folder", false, func(m *matrixRun) { m.do("mv", "dir", "folder") }},
	{"case rename", false, func(m *matrixRun) { m.do("mv", "a.txt", "A.txt"); m.edit("A.txt") }},
	{"chmod", false, func(m *matrixRun) { _ = os.Chmod(m.Path("b.txt"), 0o755); _ = os.Chmod(m.Path("exec.sh"), 0o644) }},
	{"link", false, func(m *matrixRun) {
		_ = os.Remove(m.Path("link"))
		_ = os.Symlink("b.txt", m.Path("link"))
		_ = os.Symlink("x", m.Path("new link"))
	}},
	{"file to folder", false, func(m *matrixRun) { _ = os.Remove(m.Path("b.txt")); m.edit("b.txt/inner.txt") }},
	{"same size", false, func(m *matrixRun) {
		raw, _ := os.ReadFile(m.Path("free/one.txt"))
		m.Write("free/one.txt", strings.ToUpper(string(raw)))
	}},
	{"commit", true, func(m *matrixRun) { m.record(m.some()) }},
	{"commit all", true, func(m *matrixRun) {
		m.edit(m.some())
		m.edit("fresh.txt")
		m.do("add", "-A", "--sparse")
		m.do("commit", "-q", "-m", "all")
	}},
	{"commits", true, func(m *matrixRun) { m.record(m.some()); m.record(m.some(), "fresh.txt"); m.record("fresh.txt") }},
	{"commit rename", false, func(m *matrixRun) {
		m.do("mv", "long.txt", "moved.txt")
		m.do("commit", "-q", "-m", "moved")
		m.edit("moved.txt")
	}},
	{"branches", false, func(m *matrixRun) {
		from := m.head()
		m.do("checkout", "-q", "-b", "one")
		m.record("in-one.txt")
		one := m.head()
		m.do("checkout", "-q", "-b", "two", from)
		m.record("in-two.txt")
		m.want.spans = []between{{from: from, to: one}}
		if two := m.head(); two != one {
			m.want.spans = append(m.want.spans, between{from: m.gitLine("merge-base", one, two), to: two})
		}
	}},
	{"amend", false, func(m *matrixRun) { m.edit(m.some()); m.do("commit", "-q", "-a", "--amend", "--no-edit") }},
	{"amend own", true, func(m *matrixRun) {
		m.record("fresh.txt")
		m.edit("fresh.txt")
		m.do("commit", "-q", "-a", "--amend", "-m", "twice")
	}},
	{"reset soft", false, moves("reset", "-q", "--soft", "HEAD~1")},
	{"reset mixed", false, moves("reset", "-q", "--mixed", "HEAD~1")},
	{"reset hard", false, moves("reset", "-q", "--hard", "HEAD~1")},
	{"commit and reset", false, func(m *matrixRun) {
		m.record(m.some())
		if m.do("reset", "-q", "--soft", m.start.head) {
			m.nothing()
		}
	}},
	{"switch", false, moves("checkout", "-q", "side")},
	{"switch and commit", false, func(m *matrixRun) {
		m.do("checkout", "-q", "side")
		from := m.head()
		m.record(m.some())
		m.want.spans = []between{{from: from, to: m.head()}}
	}},
	{"merge", false, moves("merge", "-q", "--no-edit", "side")},
	{"merge fast", false, func(m *matrixRun) { m.nothing(); m.do("checkout", "-q", "main~1"); m.do("merge", "-q", "main") }},
	{"merge left", false, moves("merge", "-q", "clash")},
	{"merge resolved", false, func(m *matrixRun) {
		m.nothing()
		from := m.head()
		m.do("merge", "-q", "clash")
		m.Write("dir/c.txt", "both\n"+lines("c", 19))
		if m.do("add", "--sparse", "dir/c.txt") && m.do("commit", "-q", "--no-edit") && m.head() != from {
			m.want.spans = []between{{from: from, to: m.head(), only: []string{"dir/c.txt"}}}
		}
	}},
	{"rebase", false, func(m *matrixRun) {
		m.nothing()
		if m.record("own.txt") {
			own := m.head()
			if m.do("rebase", "-q", "side") {
				own = m.head()
			}
			m.want.spans = []between{{from: own + "~1", to: own}}
		}
	}},
	{"rebase left", false, func(m *matrixRun) { m.nothing(); m.do("rebase", "-q", "clash") }},
	{"pull fast", false, moves("pull", "-q", "--ff-only", "origin", "main")},
	{"pull merge", false, func(m *matrixRun) {
		m.nothing()
		if m.record("own.txt") {
			m.want.spans = []between{{from: m.head() + "~1", to: m.head()}}
			m.do("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
		}
	}},
	{"pull rebase", false, func(m *matrixRun) {
		m.nothing()
		if m.record("own.txt") {
			own := m.head()
			if m.do("pull", "-q", "--rebase", "origin", "main") {
				own = m.head()
			}
			m.want.spans = []between{{from: own + "~1", to: own}}
		}
	}},
	{"force-push and reset", false, func(m *matrixRun) {
		m.nothing()
		m.force("forced")
		m.do("fetch", "-q", "origin")
		m.do("reset", "-q", "--hard", "origin/main")
	}},
	{"stash", false, func(m *matrixRun) { m.edit(m.some()); m.do("stash", "-q", "-u") }},
	{"stash and pop", false, func(m *matrixRun) {
		m.edit(m.some())
		m.do("stash", "-q")
		m.edit("new.txt")
		m.do("stash", "pop", "-q")
	}},
	{"pop the user's", false, func(m *matrixRun) { m.do("stash", "pop", "-q") }},
	{"cherry-pick", false, func(m *matrixRun) { m.do("cherry-pick", "side") }},
	{"cherry-pick left", false, func(m *matrixRun) { m.do("cherry-pick", "clash") }},
	{"abort", false, func(m *matrixRun) {
		m.nothing()
		_ = m.do("merge", "--abort") || m.do("rebase", "--abort") || m.do("cherry-pick", "--abort")
	}},
	{"revert", false, func(m *matrixRun) { m.do("revert", "--no-edit", "HEAD") }},
	{"revert own", false, func(m *matrixRun) { m.record("own.txt"); m.do("revert", "--no-edit", "HEAD") }},
	{"somebody edits", false, func(m *matrixRun) {
		m.edit("mine.txt")
		m.edit("a.txt")
		m.edit("theirs.txt")
		m.want.shared, m.want.touched = true, []string{"mine.txt", "a.txt"}
	}},
	{"somebody commits", false, func(m *matrixRun) {
		from := m.head()
		m.edit("theirs.txt")
		o := m.outside()
		if _, err := o.Try("add", "--sparse", "theirs.txt"); err == nil {
			_, _ = o.Try("commit", "-q", "-m", "theirs", "--", "theirs.txt")
		}
		to := m.head()
		m.want.theirs = map[string]bool{to: to != from}
		m.want.others = []between{{from: from, to: to}}
		m.record("mine.txt")
		m.want.spans = []between{{from: to, to: m.head()}}
	}},
	{"gc", false, func(m *matrixRun) { m.record(m.some()); m.do("gc", "-q", "--prune=now"); m.edit(m.some()) }},
	{"repack", false, func(m *matrixRun) { m.do("repack", "-q", "-a", "-d"); m.do("pack-refs", "--all"); m.record(m.some()) }},
	{"worktree", false, func(m *matrixRun) { m.nothing(); m.do("worktree", "add", "-q", "-b", "beside", "../beside") }},
	{"anything", false, (*matrixRun).anything},
	{"anything once more", false, (*matrixRun).anything},
	{"squash", false, func(m *matrixRun) { m.do("reset", "-q", "--soft", "HEAD~2"); m.do("commit", "-q", "-m", "squashed") }},
	{"fixup", false, func(m *matrixRun) {
		m.Extra = []string{`GIT_SEQUENCE_EDITOR=sed -i -e "2s/^pick/fixup/"`}
		m.do("rebase", "-q", "-i", "HEAD~2")
		m.Extra = nil
	}},
	{"merge squashed", false, func(m *matrixRun) { m.do("merge", "-q", "--squash", "side"); m.do("commit", "-q", "-m", "squashed") }},
	{"cherry-pick into the index", false, func(m *matrixRun) { m.do("cherry-pick", "-n", "side") }},
	{"revert into the index", false, func(m *matrixRun) { m.do("revert", "-n", "HEAD") }},
	{"restore", false, func(m *matrixRun) { m.edit(m.some()); m.do("checkout", "-q", "--", ".") }},
	{"clean", false, func(m *matrixRun) { m.edit("new/file.txt"); m.do("clean", "-q", "-f", "-d") }},
	{"untrack", false, func(m *matrixRun) { m.do("rm", "-q", "--cached", "--sparse", "b.txt") }},
	{"untrack and commit", false, func(m *matrixRun) {
		m.do("rm", "-q", "--cached", "--sparse", "b.txt")
		m.do("commit", "-q", "-m", "untracked")
	}},
	{"orphan", false, func(m *matrixRun) {
		m.nothing()
		if m.do("checkout", "-q", "--orphan", "root") && m.do("commit", "-q", "-m", "root") {
			m.want.spans = []between{{from: "", to: m.head()}}
		}
	}},
	{"sparse", false, func(m *matrixRun) { m.do("sparse-checkout", "set", "--cone", "free"); m.edit("free/two.txt") }},
	{"not sparse", false, func(m *matrixRun) { m.do("sparse-checkout", "disable"); m.edit("b.txt") }},
	{"split", false, func(m *matrixRun) { m.do("update-index", "--split-index"); m.edit("b.txt") }},
	{"attributes", false, func(m *matrixRun) {
		m.Write(".gitattributes", "*.txt text eol=crlf\n")
		m.record("b.txt")
		m.do("checkout", "-q", "--", ".")
	}},
	{"ignore", false, func(m *matrixRun) { m.edit("dir/x.tmp"); m.Write("dir/.gitignore", "*.tmp\n"); m.Write("y.tmp", "y\n") }},
	{"tag and branch", false, func(m *matrixRun) {
		m.nothing()
		m.do("tag", "-a", "-m", "t", "v2")
		m.do("branch", "-m", "side", "renamed")
		m.do("branch", "-D", "clash")
	}},
}
