package contents

import (
	"context"
	"math/rand/v2"
	"os"
	"reflect"
	"sync"
	"testing"

	"agentflow/internal/testing/randomtest"
)

// TestDamage checks that a search answers or fails with any content of the
// file, and that once a file reported as damaged is removed, an update makes
// everything found again.
func TestDamage(t *testing.T) {
	f := newFolder(t)
	f.write("a.go", identifiersOf("name", 3000))
	f.write("b.go", "func alpha() {}")
	f.update(Options{})
	want := f.find("alpha", "namebck")
	sound, err := os.ReadFile(f.db)
	must(t, err)
	randomtest.Check(t, 60, func(t *testing.T, rnd *rand.Rand) {
		f := &folder{t, f.dir, f.db, OpenStore(f.db)}
		must(t, removeFiles(f.db))
		bad := append([]byte{}, sound...)
		switch rnd.IntN(3) {
		case 0:
			bad = bad[:rnd.IntN(len(bad))]
		case 1:
			for range 1 + rnd.IntN(40) {
				bad[rnd.IntN(len(bad))] ^= byte(1 + rnd.IntN(255))
			}
		case 2:
			at := rnd.IntN(len(bad))
			clear(bad[at:min(at+1+rnd.IntN(8192), len(bad))])
		}
		must(t, os.WriteFile(f.db, bad, 0o600))
		if _, err := f.store.Find(t.Context(), hashesOfAll([]string{"alpha", "namebck"})); Damaged(err) {
			must(t, Remove(t.Context(), f.db)) // as a search does
		}
		f.update(Options{})
		if got := f.find("alpha", "namebck"); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		must(t, f.store.Close())
	})
}

// TestAnotherVersion checks that searches ignore a file of an older version,
// and that an update rebuilds it.
func TestAnotherVersion(t *testing.T) {
	f := newFolder(t)
	f.write("a.go", "func alpha() {}")
	f.update(Options{})
	w, err := openWriter(t.Context(), f.db)
	must(t, err)
	_, err = w.c.ExecContext(t.Context(), "PRAGMA user_version=99")
	must(t, err)
	must(t, w.close())
	must(t, f.store.Close())
	if found := f.find("alpha"); found.Files != 0 {
		t.Errorf("%+v", found)
	}
	if r := f.update(Options{}); r.Read != 1 || f.find("alpha").Files != 1 {
		t.Errorf("%+v", r)
	}
}

// TestSearchBesideUpdate checks that a search sees the files either before or
// after an update.
func TestSearchBesideUpdate(t *testing.T) {
	f := newFolder(t)
	all := []string{"a.go", "b.go", "c.go", "d.go"}
	write := func(name string) {
		for _, path := range all {
			f.write(path, "func "+name+"() {}")
		}
	}
	write("alpha")
	f.update(Options{})
	ctx, end := context.WithCancel(t.Context())
	var beside sync.WaitGroup
	asked := hashesOfAll([]string{"alpha", "gamma"})
	for range 3 {
		beside.Go(func() {
			store := OpenStore(f.db)
			for ctx.Err() == nil {
				found, err := store.Find(context.WithoutCancel(ctx), asked)
				if a, g := len(found.Terms[0].Held), len(found.Terms[1].Held); err != nil || a+g != 4 || a > 0 && g > 0 {
					t.Errorf("error %v, %+v", err, found)
					break
				}
			}
			must(t, store.Close())
		})
	}
	for i := range 60 {
		write([]string{"gamma", "alpha"}[i%2])
		f.update(Options{})
	}
	end()
	beside.Wait()
	must(t, whole(t.Context(), f.db))
}
