package gitwatch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lines is a text of n lines that tells where it is from.
func lines(of string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s line %d\n", of, i)
	}
	return b.String()
}

// plainHistory makes main with three commits, and from the second one the
// branches "side", which can be merged, and "clash", which cannot; beside it
// "up", bare, with two commits more on main, and "forced", another second and
// third commit.
func plainHistory(f *fixture, format string) {
	f.git("init", "-q", "--template=", "-b", "main", format)
	must(f.t, os.Symlink("a.txt", f.path("link")))
	f.write("exec.sh", lines("exec", 5))
	must(f.t, os.Chmod(f.path("exec.sh"), 0o755))
	f.commit("first", "a.txt", lines("a", 20), "b.txt", lines("b", 20), "dir/c.txt", lines("c", 20), "dir/deep/d.txt", lines("d", 20),
		"long.txt", lines("long", 60), "bin", "a\x00b", "odd\nname", lines("odd", 8), "latin\xe9.txt", lines("latin", 8),
		"free/one.txt", lines("one", 30), "free/two.txt", lines("two", 30), "free/sub/three.txt", lines("three", 30), ".gitignore", "*.log\n")
	f.commit("second", "b.txt", lines("b", 18))
	f.git("checkout", "-q", "-b", "side")
	f.commit("on side", "side.txt", lines("side", 4), "a.txt", "side\n"+lines("a", 20))
	f.git("checkout", "-q", "-b", "clash", "main")
	f.commit("on clash", "dir/c.txt", "clash\n"+lines("c", 19))
	f.git("checkout", "-q", "main")
	f.commit("third", "dir/c.txt", "main\n"+lines("c", 19))
	f.git("tag", "-a", "-m", "a tag", "v1")
	f.git("clone", "-q", "--bare", "--template=", ".", "../up")
	f.git("clone", "-q", "../up", "../work")
	w := f.at(f.path("../work"), f.run)
	for i := range 2 {
		w.commit(fmt.Sprint("theirs ", i), fmt.Sprintf("up%d.txt", i), lines("up", 3), "long.txt", fmt.Sprint("up ", i, "\n", lines("long", 60)))
	}
	w.git("push", "-q", "origin", "main")
	w.git("reset", "-q", "--hard", "main~4")
	w.commit("other second", "forced.txt", lines("forced", 3))
	w.git("push", "-q", "origin", "main:forced")
	f.git("-C", "../up", "repack", "-q", "-a", "-d")
	f.git("repack", "-q", "-a", "-d") // fewer files to copy for each case
	must(f.t, os.RemoveAll(w.dir))
	f.git("config", "remote.origin.url", "../up")
	f.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
	f.git("update-ref", "refs/remotes/origin/main", "main")
	f.git("config", "branch.main.remote", "origin")
	f.git("config", "branch.main.merge", "refs/heads/main")
}

// matrixShapes lists every shape; base is where their templates are built.
func matrixShapes(base string) []*matrixShape {
	plain := &matrixShape{name: "plain", build: func(f *fixture) { plainHistory(f, "--object-format=sha1") }}
	sha256 := &matrixShape{name: "sha256", build: func(f *fixture) { plainHistory(f, "--object-format=sha256") }}
	on := func(from *matrixShape, name string, build func(f *fixture)) *matrixShape {
		return &matrixShape{name: name, from: from, build: build}
	}
	config := func(from *matrixShape, name string, pairs ...string) *matrixShape {
		return on(from, name, func(f *fixture) {
			for i := 0; i < len(pairs); i += 2 {
				f.git("config", pairs[i], pairs[i+1])
			}
		})
	}
	attributes := func(name, text string, pairs ...string) *matrixShape {
		return on(plain, name, func(f *fixture) {
			for i := 0; i < len(pairs); i += 2 {
				f.git("config", pairs[i], pairs[i+1])
			}
			f.write(".git/info/attributes", text)
			f.again()
		})
	}
	all := []*matrixShape{
		plain, sha256,
		{name: "unborn", build: func(f *fixture) { f.git("init", "-q", "--template=", "-b", "main") }, flags: shapeFlags{unborn: true}},
		on(plain, "detached", func(f *fixture) { f.git("checkout", "-q", "--detach") }),
		{name: "linked work tree", from: plain, tree: "linked", build: func(f *fixture) {
			f.git("checkout", "-q", "-b", "aside")
			f.git("worktree", "add", "-q", "../linked", "main")
		}},
		{name: "bare and work tree", from: plain, tree: "linked", build: func(f *fixture) {
			must(f.t, os.Rename(f.path(".git"), f.path("../bare.git")))
			bare := f.at(f.path("../bare.git"), f.run)
			bare.git("config", "core.bare", "true")
			bare.git("update-ref", "--no-deref", "HEAD", "main")
			bare.git("worktree", "add", "-q", "../linked", "main")
		}},
		on(plain, "submodule", func(f *fixture) {
			f.git("submodule", "--quiet", "add", "../up", "sub")
			f.git("commit", "-qm", "a submodule")
			f.git("-C", "sub", "checkout", "-q", "HEAD~1")
		}),
		on(plain, "nested repository", func(f *fixture) { f.git("clone", "-q", "--template=", "../up", "free/nested") }),
		on(plain, "sparse cone", func(f *fixture) { f.git("sparse-checkout", "set", "--cone", "free") }),
		on(plain, "sparse patterns", func(f *fixture) { f.git("sparse-checkout", "set", "--no-cone", "/*", "!/dir/") }),
		on(plain, "sparse index", func(f *fixture) { f.git("sparse-checkout", "set", "--cone", "--sparse-index", "free") }),
		on(plain, "index v4", func(f *fixture) { f.git("update-index", "--index-version", "4") }),
		config(plain, "many files", "feature.manyFiles", "true", "index.skipHash", "true"),
		on(plain, "no index checksum", func(f *fixture) { f.zeroChecksum() }),
		on(plain, "split index", func(f *fixture) { f.git("config", "core.splitIndex", "true"); f.git("update-index", "--split-index") }),
		on(plain, "untracked cache", func(f *fixture) { f.git("update-index", "--untracked-cache"); f.git("status") }),
		on(plain, "file monitor", func(f *fixture) {
			f.script("../monitor", `printf 'token\0/\0'`)
			f.git("config", "core.fsmonitor", "../monitor")
			f.git("update-index", "--fsmonitor")
		}),
		attributes("autocrlf", "", "core.autocrlf", "true"),
		attributes("autocrlf input", "", "core.autocrlf", "input"),
		attributes("text=auto", "* text=auto eol=crlf\n"),
		on(plain, "text rule", func(f *fixture) {
			f.commit("rules", ".gitattributes", "*.txt text eol=crlf\n*.sh text eol=lf\n")
			f.again()
		}),
		on(plain, "CRLF in blobs", func(f *fixture) {
			f.commit("crlf", "a.txt", strings.ReplaceAll(lines("a", 20), "\n", "\r\n"), "free/one.txt", strings.ReplaceAll(lines("one", 20), "\n", "\r\n"))
			f.commit("rules", ".gitattributes", "* text=auto\n")
		}),
		on(plain, "CRLF in blobs, text", func(f *fixture) {
			f.commit("crlf", "a.txt", strings.ReplaceAll(lines("a", 20), "\n", "\r\n"), "free/one.txt", strings.ReplaceAll(lines("one", 20), "\n", "\r\n"))
			f.commit("rules", ".gitattributes", "*.txt text\n")
		}),
		attributes("filter", "*.txt filter=up\n", "filter.up.clean", "tr A-Z a-z", "filter.up.smudge", "tr a-z A-Z"),
		on(plain, "large file pointers", func(f *fixture) {
			f.script("../clean", `echo "version 1"; git -c core.fsmonitor= hash-object --stdin`)
			f.git("config", "filter.lfs.clean", "../clean")
			f.git("config", "filter.lfs.smudge", "cat")
			f.commit("lfs", ".gitattributes", "free/t* filter=lfs -text\n", "free/two.txt", lines("large", 40))
		}),
		attributes("ident", "*.txt ident\n"),
		on(plain, "no exec bit", func(f *fixture) {
			f.git("config", "core.fileMode", "false")
			must(f.t, os.Chmod(f.path("a.txt"), 0o755))
		}),
		config(plain, "ignore case", "core.ignoreCase", "true"),
		{name: "shallow", build: func(f *fixture) { f.cloned("--depth=2", "file://"+f.path("../up0")) }, without: "rebase"},
		{name: "partial", build: func(f *fixture) { f.cloned("--filter=blob:none", "file://"+f.path("../up0")) },
			without: "reset revert cherry"},
		{name: "alternates", build: func(f *fixture) { f.cloned("--shared", "up0") }},
		on(plain, "packed", func(f *fixture) {
			f.git("gc", "-q")
			f.git("pack-refs", "--all")
			f.git("commit-graph", "write", "--reachable")
			f.git("multi-pack-index", "write")
		}),
		on(plain, "in a merge", func(f *fixture) { _, _ = f.try("merge", "-q", "clash") }),
		on(plain, "in a rebase", func(f *fixture) { _, _ = f.try("rebase", "-q", "clash") }),
		on(plain, "in a cherry-pick", func(f *fixture) { _, _ = f.try("cherry-pick", "clash") }),
		on(plain, "stash", func(f *fixture) { f.write("b.txt", lines("stashed", 9)); f.git("stash", "-q") }),
		on(plain, "edits before", func(f *fixture) { f.user() }),
		on(sha256, "sha256, edits before", func(f *fixture) { f.user() }),
		on(sha256, "sha256, in a merge", func(f *fixture) { _, _ = f.try("merge", "-q", "clash") }),
		on(sha256, "sha256, detached", func(f *fixture) { f.git("checkout", "-q", "--detach") }),
		on(sha256, "sha256, text=auto", func(f *fixture) {
			f.write(".git/info/attributes", "* text=auto eol=crlf\n")
			f.again()
			f.user()
		}),
		on(plain, "split index, edits before", func(f *fixture) { f.user(); f.git("update-index", "--split-index") }),
		on(plain, "sparse index, edits before", func(f *fixture) {
			f.git("sparse-checkout", "set", "--cone", "--sparse-index", "free")
			f.user()
		}),
		on(plain, "split index, submodule", func(f *fixture) {
			f.git("submodule", "--quiet", "add", "../up", "sub")
			f.git("commit", "-qm", "a submodule")
			f.git("-C", "sub", "checkout", "-q", "HEAD~1")
			f.git("update-index", "--split-index")
		}),
		on(plain, "split index, no exec bit", func(f *fixture) {
			f.git("config", "core.fileMode", "false")
			must(f.t, os.Chmod(f.path("a.txt"), 0o755))
			f.git("update-index", "--split-index")
		}),
		on(plain, "split index, filter", func(f *fixture) {
			f.git("config", "filter.up.clean", "tr A-Z a-z")
			f.git("config", "filter.up.smudge", "tr a-z A-Z")
			f.write(".git/info/attributes", "*.txt filter=up\n")
			f.again()
			f.git("update-index", "--split-index")
		}),
		on(sha256, "sha256, split index", func(f *fixture) { f.git("update-index", "--split-index") }),
		on(plain, "assumed unchanged", func(f *fixture) {
			f.write("free/one.txt", "not looked at\n")
			f.git("update-index", "--assume-unchanged", "free/one.txt")
		}),
		on(plain, "skipped, not sparse", func(f *fixture) {
			f.write("free/one.txt", "not looked at\n")
			f.git("update-index", "--skip-worktree", "free/one.txt")
		}),
		on(plain, "added without content", func(f *fixture) { f.write("later.txt", lines("later", 3)); f.git("add", "-N", "later.txt") }),
		on(plain, "git folder elsewhere", func(f *fixture) { f.git("init", "-q", "--separate-git-dir=../elsewhere.git") }),
		{name: "reftable", build: func(f *fixture) { plainHistory(f, "--ref-format=reftable") }, needs: func(f *fixture) bool {
			_, err := f.try("init", "-q", "--ref-format=reftable", "../probe")
			return err == nil
		}},
	}
	for _, s := range all {
		s.base = filepath.Join(base, strings.ReplaceAll(s.name, " ", "-"))
		if s.tree == "" {
			s.tree = "repo"
		}
		switch s.name {
		case "filter", "split index, filter", "large file pointers":
			s.flags.filtered = true
			s.without = "rename case" // they go by contents that only git knows
		}
	}
	return all
}

// again writes every file as the settings now have it.
func (f *fixture) again() {
	f.git("rm", "-q", "-r", "--cached", ".")
	f.git("reset", "-q", "--hard")
}

// user leaves edits of every kind in the work tree.
func (f *fixture) user() {
	f.write("b.txt", "the user's\n"+lines("b", 18))
	f.write("long.txt", "staged\n"+lines("long", 60))
	f.git("add", "long.txt")
	f.write("long.txt", "staged\n"+lines("long", 60)+"and edited\n")
	f.write("notes.txt", "mine\n")
	must(f.t, os.Remove(f.path("bin")))
}

func (f *fixture) script(name, text string) {
	f.write(name, "#!/bin/sh\n"+text+"\n")
	must(f.t, os.Chmod(f.path(name), 0o755))
}

func (f *fixture) zeroChecksum() {
	raw, err := os.ReadFile(f.path(".git/index"))
	must(f.t, err)
	clear(raw[len(raw)-20:])
	must(f.t, os.WriteFile(f.path(".git/index"), raw, 0o644))
}

// cloned is a clone of a plain repository, whose remote goes away if objects
// could be fetched from it.
func (f *fixture) cloned(args ...string) {
	up := f.at(f.path("../source"), f.run)
	must(f.t, os.MkdirAll(up.dir, 0o755))
	plainHistory(up, "--object-format=sha1")
	up.git("clone", "-q", "--bare", "--template=", ".", "../up0")
	up0 := f.at(f.path("../up0"), f.run)
	up0.git("config", "uploadpack.allowFilter", "true")
	must(f.t, os.RemoveAll(f.dir))
	from := f.at(f.path(".."), f.run)
	from.git(append([]string{"clone", "-q", "--template=", "--no-single-branch", "--no-tags"}, append(args, "repo")...)...)
	for _, b := range []string{"side", "clash"} {
		f.git("branch", "-q", b, "origin/"+b)
	}
	f.git("config", "remote.origin.url", "../up")
	if strings.Contains(args[0], "filter") {
		f.git("config", "remote.origin.url", "../gone")
	}
}

// prepare builds the template, once.
func (s *matrixShape) prepare(t testing.TB) {
	s.once.Do(func() {
		f := &fixture{t: t, dir: filepath.Join(s.base, "repo"), run: filepath.Join(s.base, "run"), ticks: new(int)}
		if s.from != nil {
			s.from.prepare(t)
			must(t, copyTree(s.from.base, s.base))
			*f.ticks = 100
		}
		must(t, os.MkdirAll(f.dir, 0o755))
		must(t, os.MkdirAll(f.run, 0o755))
		if s.needs != nil && !s.needs(f) {
			s.missing = true
			return
		}
		s.build(f)
		f.dir = filepath.Join(s.base, s.tree)
		must(t, os.RemoveAll(f.run))
		s.start = f.look(s.base)
	})
	if s.start == nil && !s.missing {
		t.Fatal("the shape could not be built")
	}
}
