package lookup

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/indexes"
	"agentflow/app/memoryfiles"
	"agentflow/internal/indexpool"
	"agentflow/memory"
	"agentflow/writeback"
)

// atHome returns an operation for a user with this home.
func atHome(home string) *app.Operation {
	env := map[string]string{"HOME": home, "USERPROFILE": home}
	access := app.Access{Indexes: indexpool.NewPool(), Decoded: &indexpool.Decoded{}, Topics: app.Topics{Holding: memoryfiles.Holding}}
	return &app.Operation{Access: access, Degradations: &app.Degradations{}, Tell: func(app.Event) {}, Getenv: func(key string) string { return env[key] }}
}

// TestGlobalMemory makes the user's own memory only on request, and finds it
// again; a config with patterns for repositories indexes nothing there.
func TestGlobalMemory(t *testing.T) {
	ctx, home := context.Background(), t.TempDir()
	a := atHome(home)
	if s, err := a.OpenGlobal(ctx, false); s != nil || err != nil {
		t.Fatalf("before it was asked for: %v, %v", s, err)
	}
	if names, _ := os.ReadDir(home); len(names) > 0 {
		t.Fatalf("looking for it made %v", names)
	}
	s, err := a.OpenGlobal(ctx, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.Remember(ctx, memory.Fact{Text: "tabs, never spaces"}, time.Now(), writeback.Meta{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(s.Root), "other.md"), []byte("# not ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.Environ = []string{"AGENTFLOW_INDEX_INCLUDE=*.md"}
	if s, err = a.OpenGlobal(ctx, false); err != nil || s == nil {
		t.Fatalf("asked again: %v, %v", s, err)
	}
	if degraded, err := indexes.WithSynced(ctx, s, func(*indexpool.Index) error { return nil }); err != nil || len(degraded) > 0 {
		t.Errorf("indexing it: %q, %v", degraded, err)
	}
	if list := indexes.Sources(t.Context(), s); len(list) != 1 {
		t.Errorf("it indexes %v", list)
	}
	for b, err := range Blocks(s) {
		if err != nil || b.Entry != nil && (len(b.Facts) != 1 || b.Facts[0].Text != "tabs, never spaces") {
			t.Errorf("it holds %v, %v", b, err)
		}
	}
}

// TestGlobalMemoryUnwritable checks the kind and the hint of the error if the folder cannot be made.
func TestGlobalMemoryUnwritable(t *testing.T) {
	home := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(home, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, h := range []string{home, ""} {
		if s, err := atHome(h).OpenGlobal(context.Background(), false); s != nil || err != nil {
			t.Errorf("home %q: have %v, %v", h, s, err)
		}
		_, err := atHome(h).OpenGlobal(context.Background(), true)
		if err == nil {
			t.Fatalf("home %q: no error", h)
		}
		if got := app.AsError(err); got.Kind != app.KindRefused || !strings.Contains(err.Error(), "opening your own memory") || got.Hint == "" {
			t.Errorf("home %q: %v, kind %s, hint %q", h, err, got.Kind, got.Hint)
		}
	}
}
