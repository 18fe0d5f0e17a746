package memref

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestDrop: what only an old history led to goes, loose or packed among the user's objects.
// What the user has, reachable or not, stays.
func TestDrop(t *testing.T) {
	for _, packed := range []bool{false, true} {
		t.Run(fmt.Sprintf("packed %v", packed), func(t *testing.T) {
			_, clones := repos(t, 1)
			r, ctx := clones[0], t.Context()
			write := func(parent, text string) string {
				id, err := r.Write(ctx, "refs/agentflow/mine", Commit{Parent: parent, Message: "memory", Time: time.Unix(1e9, 0), Files: map[string][]byte{
					"clones/x/MEMORY.md": []byte(text), "clones/x/kept.md": []byte("kept\n"), "clones/x/tracked.md": []byte("tracked " + text)}})
				must(t, err)
				return id
			}
			old := write("", "the okapi\n")
			tip := write(old, "the old walrus\n")
			must(t, os.WriteFile(filepath.Join(r.Dir, "tracked.md"), []byte("tracked the okapi\n"), 0o600))
			run(t, r.Dir, "add", "-A")
			run(t, r.Dir, "commit", "-qm", "the user tracks the same text")
			run(t, r.Dir, "rm", "-q", "tracked.md")
			run(t, r.Dir, "commit", "-qm", "and removes it")
			must(t, os.WriteFile(filepath.Join(r.Dir, "dangling"), []byte("of the user\n"), 0o600))
			dangling := run(t, r.Dir, "hash-object", "-w", "dangling")
			if packed {
				run(t, r.Dir, "repack", "-adkq", "--write-bitmap-index")
				run(t, r.Dir, "prune-packed")
				run(t, r.Dir, "commit-graph", "write", "--reachable")
			}
			now := write("", "the new walrus\n")
			gone := []string{old, tip, run(t, r.Dir, "rev-parse", old+":clones/x/MEMORY.md"), run(t, r.Dir, "rev-parse", tip+":clones/x/tracked.md")}
			stays := []string{now, dangling, run(t, r.Dir, "rev-parse", old+":clones/x/kept.md"), run(t, r.Dir, "rev-parse", old+":clones/x/tracked.md")}
			left, err := r.Drop(ctx, []string{tip, "0123456789012345678901234567890123456789"})
			if err != nil || left != 0 {
				t.Fatalf("%d left, %v", left, err)
			}
			for _, id := range gone {
				if has(r, id) {
					t.Errorf("%s stays", id)
				}
			}
			for _, id := range stays {
				if !has(r, id) {
					t.Errorf("%s is gone", id)
				}
			}
			run(t, r.Dir, "fsck", "--strict")
		})
	}
}

// TestDropKeeps: a pack that is marked as kept is not touched, and objects to remove in it are
// counted.
func TestDropKeeps(t *testing.T) {
	_, clones := repos(t, 1)
	r, ctx := clones[0], t.Context()
	old, err := r.Write(ctx, "refs/agentflow/mine", Commit{Message: "memory", Time: time.Unix(1e9, 0), Files: map[string][]byte{"clones/x/MEMORY.md": []byte("A.\n")}})
	must(t, err)
	run(t, r.Dir, "repack", "-adq")
	packs, err := filepath.Glob(filepath.Join(r.Dir, ".git/objects/pack/*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	must(t, os.WriteFile(packs[0][:len(packs[0])-len(".pack")]+".keep", nil, 0o600))
	must(t, r.Keep(ctx, map[string]string{"refs/agentflow/mine": ""}))
	if left, err := r.Drop(ctx, []string{old}); err != nil || left != 4+1 || !has(r, old) {
		t.Errorf("%d left, %v", left, err)
	}
}

func has(r Repo, id string) bool {
	n, err := r.count(context.Background(), map[string]bool{id: true})
	return err == nil && n == 1
}
