package gitwatch

import (
	"os"
	"path/filepath"
	"strings"
)

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
			f.write("../monitor", `printf 'token\0/\0'`)
			f.git("config", "core.fsmonitor", "sh ../monitor")
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
			f.write("../clean", `echo "version 1"; git hash-object --stdin`)
			f.git("config", "filter.lfs.clean", "sh ../clean")
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
		case "many files":
			s.without = "split" // without checksums git 2.47 writes an index that it reads as "./" three times itself
		}
	}
	return all
}
