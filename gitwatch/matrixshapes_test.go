package gitwatch

import (
	"os"
	"path/filepath"
	"strings"

	"agentflow/internal/testing/gittest"
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
				f.Git("config", pairs[i], pairs[i+1])
			}
		})
	}
	attributes := func(name, text string, pairs ...string) *matrixShape {
		return on(plain, name, func(f *fixture) {
			for i := 0; i < len(pairs); i += 2 {
				f.Git("config", pairs[i], pairs[i+1])
			}
			f.Write(".git/info/attributes", text)
			f.again()
		})
	}
	all := []*matrixShape{
		plain, sha256,
		{name: "unborn", build: func(f *fixture) { f.Git("init", "-q", "--template=", "-b", "main") }, flags: shapeFlags{unborn: true}},
		on(plain, "detached", func(f *fixture) { f.Git("checkout", "-q", "--detach") }),
		{name: "linked work tree", from: plain, tree: "linked", build: func(f *fixture) {
			f.Git("checkout", "-q", "-b", "aside")
			f.Git("worktree", "add", "-q", "../linked", "main")
		}},
		{name: "bare and work tree", from: plain, tree: "linked", build: func(f *fixture) {
			gittest.Must(f.T, os.Rename(f.Path(".git"), f.Path("../bare.git")))
			bare := f.at(f.Path("../bare.git"), f.Run)
			bare.Git("config", "core.bare", "true")
			bare.Git("update-ref", "--no-deref", "HEAD", "main")
			bare.Git("worktree", "add", "-q", "../linked", "main")
		}},
		on(plain, "submodule", func(f *fixture) {
			f.Git("submodule", "--quiet", "add", "../up", "sub")
			f.Git("commit", "-qm", "a submodule")
			f.Git("-C", "sub", "checkout", "-q", "HEAD~1")
		}),
		on(plain, "nested repository", func(f *fixture) { f.Git("clone", "-q", "--template=", "../up", "free/nested") }),
		on(plain, "sparse cone", func(f *fixture) { f.Git("sparse-checkout", "set", "--cone", "free") }),
		on(plain, "sparse patterns", func(f *fixture) { f.Git("sparse-checkout", "set", "--no-cone", "/*", "!/dir/") }),
		on(plain, "sparse index", func(f *fixture) { f.Git("sparse-checkout", "set", "--cone", "--sparse-index", "free") }),
		on(plain, "index v4", func(f *fixture) { f.Git("update-index", "--index-version", "4") }),
		config(plain, "many files", "feature.manyFiles", "true", "index.skipHash", "true"),
		on(plain, "no index checksum", func(f *fixture) { f.zeroChecksum() }),
		on(plain, "split index", func(f *fixture) { f.Git("config", "core.splitIndex", "true"); f.Git("update-index", "--split-index") }),
		on(plain, "untracked cache", func(f *fixture) { f.Git("update-index", "--untracked-cache"); f.Git("status") }),
		on(plain, "file monitor", func(f *fixture) {
			f.Write("../monitor", `printf 'token\0/\0'`)
			f.Git("config", "core.fsmonitor", "sh ../monitor")
			f.Git("update-index", "--fsmonitor")
		}),
		attributes("autocrlf", "", "core.autocrlf", "true"),
		attributes("autocrlf input", "", "core.autocrlf", "input"),
		attributes("text=auto", "* text=auto eol=crlf\n"),
		on(plain, "text rule", func(f *fixture) {
			f.Commit("rules", ".gitattributes", "*.txt text eol=crlf\n*.sh text eol=lf\n")
			f.again()
		}),
		on(plain, "CRLF in blobs", func(f *fixture) {
			f.writeCRLF()
			f.Commit("crlf")
			f.Commit("rules", ".gitattributes", "* text=auto\n")
		}),
		on(plain, "CRLF in blobs, text", func(f *fixture) { f.rulesAfterCRLF() }),
		on(plain, "CRLF in blobs, unchanged by stat", func(f *fixture) {
			f.Git("config", "core.checkStat", "minimal") // which copies pass
			f.rulesAfterCRLF()
		}),
		on(plain, "CRLF in blobs, as young as the index", func(f *fixture) {
			f.Git("config", "core.checkStat", "minimal")
			f.rulesAfterCRLF()
			gittest.Must(f.T, os.Chtimes(f.Path(".git/index"), longAgo, longAgo))
		}),
		attributes("filter", "*.txt filter=up\n", "filter.up.clean", "tr A-Z a-z", "filter.up.smudge", "tr a-z A-Z"),
		on(plain, "large file pointers", func(f *fixture) {
			f.Write("../clean", `echo "version 1"; git hash-object --stdin`)
			f.Git("config", "filter.lfs.clean", "sh ../clean")
			f.Git("config", "filter.lfs.smudge", "cat")
			f.Commit("lfs", ".gitattributes", "free/t* filter=lfs -text\n", "free/two.txt", lines("large", 40))
		}),
		attributes("ident", "*.txt ident\n"),
		on(plain, "no exec bit", func(f *fixture) {
			f.Git("config", "core.fileMode", "false")
			gittest.Must(f.T, os.Chmod(f.Path("a.txt"), 0o755))
		}),
		config(plain, "ignore case", "core.ignoreCase", "true"),
		{name: "shallow", build: func(f *fixture) { f.cloned("--depth=2", "file://"+f.Path("../up0")) }, without: "rebase"},
		{name: "partial", build: func(f *fixture) { f.cloned("--filter=blob:none", "file://"+f.Path("../up0")) },
			without: "reset revert cherry"},
		{name: "alternates", build: func(f *fixture) { f.cloned("--shared", "up0") }},
		on(plain, "packed", func(f *fixture) {
			f.Git("gc", "-q")
			f.Git("pack-refs", "--all")
			f.Git("commit-graph", "write", "--reachable")
			f.Git("multi-pack-index", "write")
		}),
		on(plain, "in a merge", func(f *fixture) { _, _ = f.Try("merge", "-q", "clash") }),
		on(plain, "in a rebase", func(f *fixture) { _, _ = f.Try("rebase", "-q", "clash") }),
		on(plain, "in a cherry-pick", func(f *fixture) { _, _ = f.Try("cherry-pick", "clash") }),
		on(plain, "stash", func(f *fixture) { f.Write("b.txt", lines("stashed", 9)); f.Git("stash", "-q") }),
		on(plain, "edits before", func(f *fixture) { f.user() }),
		on(sha256, "sha256, edits before", func(f *fixture) { f.user() }),
		on(sha256, "sha256, in a merge", func(f *fixture) { _, _ = f.Try("merge", "-q", "clash") }),
		on(sha256, "sha256, detached", func(f *fixture) { f.Git("checkout", "-q", "--detach") }),
		on(sha256, "sha256, text=auto", func(f *fixture) {
			f.Write(".git/info/attributes", "* text=auto eol=crlf\n")
			f.again()
			f.user()
		}),
		on(plain, "split index, edits before", func(f *fixture) { f.user(); f.Git("update-index", "--split-index") }),
		on(plain, "sparse index, edits before", func(f *fixture) {
			f.Git("sparse-checkout", "set", "--cone", "--sparse-index", "free")
			f.user()
		}),
		on(plain, "split index, submodule", func(f *fixture) {
			f.Git("submodule", "--quiet", "add", "../up", "sub")
			f.Git("commit", "-qm", "a submodule")
			f.Git("-C", "sub", "checkout", "-q", "HEAD~1")
			f.Git("update-index", "--split-index")
		}),
		on(plain, "split index, no exec bit", func(f *fixture) {
			f.Git("config", "core.fileMode", "false")
			gittest.Must(f.T, os.Chmod(f.Path("a.txt"), 0o755))
			f.Git("update-index", "--split-index")
		}),
		on(plain, "split index, filter", func(f *fixture) {
			f.Git("config", "filter.up.clean", "tr A-Z a-z")
			f.Git("config", "filter.up.smudge", "tr a-z A-Z")
			f.Write(".git/info/attributes", "*.txt filter=up\n")
			f.again()
			f.Git("update-index", "--split-index")
		}),
		on(sha256, "sha256, split index", func(f *fixture) { f.Git("update-index", "--split-index") }),
		on(plain, "assumed unchanged", func(f *fixture) {
			f.Write("free/one.txt", "not looked at\n")
			f.Git("update-index", "--assume-unchanged", "free/one.txt")
		}),
		on(plain, "skipped, not sparse", func(f *fixture) {
			f.Write("free/one.txt", "not looked at\n")
			f.Git("update-index", "--skip-worktree", "free/one.txt")
		}),
		on(plain, "added without content", func(f *fixture) { f.Write("later.txt", lines("later", 3)); f.Git("add", "-N", "later.txt") }),
		on(plain, "git folder elsewhere", func(f *fixture) { f.Git("init", "-q", "--separate-git-dir=../elsewhere.git") }),
		{name: "reftable", build: func(f *fixture) { plainHistory(f, "--ref-format=reftable") }, needs: func(f *fixture) bool {
			_, err := f.Try("init", "-q", "--ref-format=reftable", "../probe")
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
