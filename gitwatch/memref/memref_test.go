package memref

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const ref = "refs/agentflow/memory"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "maintenance.auto=false"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// repos are a bare remote and clones of it, each with a commit and something in its index
// and its work tree.
func repos(t testing.TB, n int) (remote string, clones []Repo) {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	remote = filepath.Join(t.TempDir(), "remote.git")
	run(t, ".", "init", "-q", "--bare", remote)
	for range n {
		dir := t.TempDir()
		run(t, dir, "init", "-q")
		run(t, dir, "config", "user.name", "Ada")
		run(t, dir, "config", "user.email", "ada@example.org")
		run(t, dir, "remote", "add", "origin", remote)
		must(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a\n"), 0o600))
		run(t, dir, "add", ".")
		run(t, dir, "commit", "-qm", "first")
		must(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("b\n"), 0o600))
		run(t, dir, "stash", "-q")
		must(t, os.WriteFile(filepath.Join(dir, "b.txt"), []byte("b\n"), 0o600))
		run(t, dir, "add", "b.txt")
		clones = append(clones, Repo{Dir: dir})
	}
	return remote, clones
}

// users returns the state that belongs only to the user.
func users(t testing.TB, dir string) string {
	return run(t, dir, "status", "--porcelain=v2", "--branch") + run(t, dir, "for-each-ref", "refs/heads", "refs/remotes", "refs/tags", "refs/stash") + run(t, dir, "reflog")
}

// fetch is Fetch, and where the ref is then.
func fetch(ctx context.Context, r Repo) (string, error) {
	if err := r.Fetch(ctx, "origin", ref, "refs/agentflow/fetched"); err != nil {
		return "", err
	}
	refs, err := r.Refs(ctx, "refs/agentflow")
	return refs["refs/agentflow/fetched"], err
}

func TestExchange(t *testing.T) {
	remote, clones := repos(t, 2)
	ctx, a, b := t.Context(), clones[0], clones[1]
	before := users(t, a.Dir)
	if _, err := fetch(ctx, a); !errors.Is(err, ErrNoRef) {
		t.Fatal(err)
	}
	first, err := a.Write(ctx, "refs/agentflow/mine", Commit{Message: "one", Time: time.Unix(1e9, 0), Files: map[string][]byte{"clones/x/MEMORY.md": []byte("A.\n"), "clones/x/a b.md": []byte("B.\n")}})
	must(t, err)
	must(t, a.Push(ctx, "origin", first, ref, ""))
	tip, err := fetch(ctx, b)
	if err != nil || tip != first {
		t.Fatal(tip, err)
	}
	items, err := b.List(ctx, tip+":clones/x", true)
	must(t, err)
	got := map[string]string{}
	must(t, b.Blobs(ctx, []string{items[0].ID, items[1].ID, items[0].ID}, func(id string, data []byte) error {
		got[id] = string(data)
		return nil
	}))
	if len(items) != 2 || items[0].Name != "MEMORY.md" || items[0].Size != 3 || got[items[0].ID] != "A.\n" || got[items[1].ID] != "B.\n" {
		t.Errorf("%+v %v", items, got)
	}
	second, err := b.Write(ctx, "refs/agentflow/mine", Commit{Parent: tip, Message: "two", Time: time.Unix(1e9, 0), Remove: []string{"clones/x/a b.md"}, Files: map[string][]byte{"clones/y/MEMORY.md": []byte("C.\n")}})
	must(t, err)
	must(t, b.Push(ctx, "origin", second, ref, tip))
	third, err := a.Write(ctx, "refs/agentflow/mine", Commit{Parent: first, Message: "late", Time: time.Unix(1e9, 0)})
	must(t, err)
	if err := a.Push(ctx, "origin", third, ref, first); !errors.Is(err, ErrFaster) {
		t.Errorf("somebody was faster: %v", err)
	}
	// A purge: no parent, the tree of a subfolder elsewhere.
	tree := run(t, b.Dir, "rev-parse", second+"^{tree}")
	kept := run(t, b.Dir, "rev-parse", second+":clones/y")
	root, err := b.Write(ctx, "refs/agentflow/mine", Commit{Tree: tree, Message: "root", Time: time.Unix(1e9, 0), Remove: []string{"clones/x"}, Trees: map[string]string{"clones/z": kept}})
	must(t, err)
	must(t, b.Push(ctx, "origin", root, ref, second))
	if tip, err = fetch(ctx, a); err != nil || tip != root {
		t.Fatal(tip, err)
	}
	items, err = a.List(ctx, tip, true)
	must(t, err)
	if names := []string{items[0].Name, items[1].Name}; len(items) != 2 || !slices.Equal(names, []string{"clones/y/MEMORY.md", "clones/z/MEMORY.md"}) || run(t, a.Dir, "rev-list", "--count", tip) != "1" {
		t.Errorf("%+v", items)
	}
	if at, err := a.Look(ctx, tip+":clones/none", tip+":clones/y", "refs/agentflow/none^{commit}", kept+"^{commit}", tip); err != nil || !slices.Equal(at, []Object{{}, {kept, "tree"}, {}, {}, {tip, "commit"}}) {
		t.Error(at, err)
	}
	if after := users(t, a.Dir); after != before {
		t.Errorf("what is the user's was\n%s\nand is\n%s", before, after)
	}
	if _, err := os.Stat(filepath.Join(a.Dir, ".git/FETCH_HEAD")); err == nil {
		t.Error("FETCH_HEAD was written")
	}
	run(t, remote, "fsck", "--strict")
}

// TestSharedSubtrees: a few trees that have 10^12 paths, in the place of others of that kind,
// are fetched and pushed onto, although git packs them for ever by itself.
func TestSharedSubtrees(t *testing.T) {
	remote, clones := repos(t, 1)
	a, b := clones[0], Repo{Dir: remote}
	bomb := func(file string) (tree string) {
		write := func(files map[string][]byte, trees map[string]string) string {
			id, err := b.Write(t.Context(), "refs/x", Commit{Message: "x", Time: time.Unix(1e9, 0), Files: files, Trees: trees})
			must(t, err)
			return run(t, remote, "rev-parse", id+"^{tree}")
		}
		tree = write(map[string][]byte{file: []byte("x\n")}, nil)
		for range 12 {
			trees := map[string]string{}
			for i := range 10 {
				trees[strings.Repeat("d", i+1)] = tree
			}
			tree = write(nil, trees)
		}
		return tree
	}
	parent := ""
	for _, file := range []string{"a", "b"} {
		tip, err := b.Write(t.Context(), ref, Commit{Parent: parent, Message: "x", Time: time.Unix(1e9, 0), Trees: map[string]string{"clones": bomb(file)}})
		must(t, err)
		if a.patience = time.Minute; file == "b" {
			a.patience = 2 * time.Second
		}
		if got, err := fetch(t.Context(), a); err != nil || got != tip {
			t.Fatal(got, err)
		}
		parent = tip
	}
	a.patience = time.Minute
	next, err := a.Write(t.Context(), "refs/agentflow/mine", Commit{Parent: parent, Message: "x", Time: time.Unix(1e9, 0), Trees: map[string]string{"clones": run(t, remote, "rev-parse", ref+"~:clones")}})
	must(t, err)
	must(t, a.Push(t.Context(), "origin", next, ref, parent))
}

// TestRefusing: a remote that only accepts branches reports that.
func TestRefusing(t *testing.T) {
	remote, clones := repos(t, 1)
	run(t, remote, "config", "receive.hideRefs", "refs/agentflow")
	id, err := clones[0].Write(t.Context(), "refs/agentflow/mine", Commit{Message: "one", Time: time.Now(), Files: map[string][]byte{"clones/x/MEMORY.md": []byte("A.\n")}})
	must(t, err)
	if err := clones[0].Push(t.Context(), "origin", id, ref, ""); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "hidden ref") {
		t.Error(err)
	}
	must(t, clones[0].Push(t.Context(), "origin", id, "refs/heads/agentflow/memory", ""))
}

// TestNoRemote: a remote that does not exist is an error, without a prompt.
func TestNoRemote(t *testing.T) {
	_, clones := repos(t, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	run(t, clones[0].Dir, "remote", "set-url", "origin", filepath.Join(t.TempDir(), "none"))
	if _, err := fetch(ctx, clones[0]); err == nil || errors.Is(err, ErrNoRef) {
		t.Error(err)
	}
}
