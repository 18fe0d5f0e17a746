package contents

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/filelock"
	"agentflow/internal/testing/randomtest"
)

// TestStoreFindsWhatTableFinds adds, changes and removes files, with some
// updates interrupted. The files are so new that their stats are not trusted.
func TestStoreFindsWhatTableFinds(t *testing.T) {
	names := []string{"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "theta", "iota", "kappa", "lambda", "sigma", "omega"}
	randomtest.Check(t, 12, func(t *testing.T, rnd *rand.Rand) {
		f := newFolder(t)
		table, there := NewTable(), map[string]bool{}
		for range 15 {
			for range 1 + rnd.IntN(12) {
				path := fmt.Sprintf("d%d/f%d.go", rnd.IntN(3), rnd.IntN(20))
				if there[path] && rnd.IntN(3) == 0 {
					f.remove(path)
					table.Remove(path)
					delete(there, path)
					continue
				}
				text := ""
				for _, name := range randomtest.Picks(rnd, 0, 8, names...) {
					text += randomtest.Pick(rnd, "func ", "call ", "") + name + "\n"
				}
				f.write(path, text)
				table.Put(path, Of([]byte(text)))
				there[path] = true
			}
			if _, err := Update(t.Context(), f.db, f.tree(), Options{}); err != nil {
				t.Fatal(err)
			}
			asked := hashesOfAll(randomtest.Picks(rnd, 0, 6, names...))
			got, err := f.store.Find(t.Context(), asked)
			if want := table.Find(asked); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("error %v\n got %+v\nwant %+v", err, got, want)
			}
		}
		must(t, whole(t.Context(), f.db))
	})
}

// TestManyPieces checks that an update too large for one transaction writes
// several pieces, which are merged later.
func TestManyPieces(t *testing.T) {
	f, table := newFolder(t), NewTable()
	for i := range 150 {
		path, text := fmt.Sprintf("dir/f%d.go", i), identifiersOf(fmt.Sprintf("name%c", 'a'+i%7), 3000)
		f.write(path, text)
		table.Put(path, Of([]byte(text)))
	}
	f.update(Options{})
	asked := hashesOfAll([]string{"nameabck", "namegcck", "nothing"})
	got, err := f.store.Find(t.Context(), asked)
	if want := table.Find(asked); err != nil || len(want.Paths) == 0 || !reflect.DeepEqual(got, want) {
		t.Fatalf("error %v\n got %+v\nwant %+v", err, got, want)
	}
	must(t, whole(t.Context(), f.db))
	w, err := openWriter(t.Context(), f.db)
	must(t, err)
	classes := map[int]int{} // how many pieces there are of each size depends on the machine's speed
	for _, p := range w.pieces {
		classes[class(p.weight())]++
	}
	if most := slices.Max(slices.Collect(maps.Values(classes))); most >= perClass {
		t.Errorf("there are %d pieces of one class: %v", most, classes)
	}
	must(t, w.close())
}

// TestDeadFilesGo checks that replaced or removed files do not take space for
// ever.
func TestDeadFilesGo(t *testing.T) {
	f := newFolder(t)
	for round := range 6 {
		for i := range 40 {
			if i < 30 || round == 0 {
				f.write(fmt.Sprintf("f%d.go", i), fmt.Sprintf("func alpha() {}; func name%c() {}", 'a'+round))
			}
		}
		f.update(Options{})
		w, err := openWriter(t.Context(), f.db)
		must(t, err)
		files := 0
		for _, p := range w.pieces {
			files += len(p.names)
		}
		must(t, w.close())
		if files > 80 {
			t.Fatalf("in round %d there are %d files in the pieces, of 40", round, files)
		}
	}
	must(t, os.RemoveAll(f.dir))
	must(t, os.Mkdir(f.dir, 0o755))
	if r := f.update(Options{}); r.Removed != 40 || f.find("alpha").Files != 0 {
		t.Errorf("%+v", r)
	}
	must(t, whole(t.Context(), f.db))
}

func TestUpdateReadsWhatMoved(t *testing.T) {
	f := newFolder(t)
	f.write("a.go", "func alpha() {}")
	f.write("b.go", "func beta() {}")
	if r := f.update(Options{}); r != (Report{Files: 2, Read: 2}) {
		t.Errorf("first: %+v", r)
	}
	if r := f.update(Options{}); r != (Report{Files: 2}) {
		t.Errorf("nothing changed: %+v", r)
	}
	f.write("a.go", "func gamma() {}")
	f.remove("b.go")
	if r := f.update(Options{}); r != (Report{Files: 1, Read: 1, Removed: 1}) {
		t.Errorf("changed: %+v", r)
	}
	if found := f.find("gamma"); !slices.Equal(found.Paths, []string{"a.go"}) || found.Files != 1 {
		t.Errorf("%+v", found)
	}
}

// TestTouchedFilesAreNotWritten checks that if the names in a file did not
// change, an update stores only its new stat.
func TestTouchedFilesAreNotWritten(t *testing.T) {
	f := newFolder(t)
	f.write("a.go", "func alpha() {}")
	f.update(Options{})
	f.write("a.go", "func alpha() { }\n")
	if r := f.update(Options{}); r != (Report{Files: 1, Read: 1}) {
		t.Errorf("touched: %+v", r)
	}
	if r := f.update(Options{}); r != (Report{Files: 1}) {
		t.Errorf("then: %+v", r)
	}
	w, err := openWriter(t.Context(), f.db)
	must(t, err)
	if w.last != 1 {
		t.Errorf("%d pieces were written", w.last)
	}
	must(t, w.close())
}

// TestYoungFilesAreReadAgain checks git's racy rule: a file that was read
// within the clock's granule of its change may have the same stat after another
// change.
func TestYoungFilesAreReadAgain(t *testing.T) {
	f := newFolder(t)
	f.write("a.go", "func alpha() {}")
	for range 2 {
		if r, err := Update(t.Context(), f.db, f.tree(), Options{}); err != nil || r != (Report{Files: 1, Read: 1}) {
			t.Errorf("%+v %v", r, err)
		}
	}
}

func TestBudget(t *testing.T) {
	f := newFolder(t)
	for i := range 10 {
		f.write(fmt.Sprintf("f%d.go", i), "func alpha() {}")
	}
	clock := time.Now().Add(time.Hour)
	tick := func() time.Time { clock = clock.Add(time.Second); return clock }
	r, err := Update(t.Context(), f.db, f.tree(), Options{Budget: 5 * time.Second, Now: tick})
	if err != nil || r.Left == 0 || r.Read+r.Left != 10 || f.find("alpha").Files != r.Read {
		t.Errorf("%+v %v", r, err)
	}
	if r := f.update(Options{}); r.Files != 10 || r.Left != 0 {
		t.Errorf("%+v", r)
	}
}

// TestOnlyOneUpdates checks that a second concurrent update does not wait.
func TestOnlyOneUpdates(t *testing.T) {
	f := newFolder(t)
	f.update(Options{})
	lock, err := filelock.Acquire(t.Context(), f.db+".lock", filelock.Self("contents", time.Now()), 0)
	must(t, err)
	if _, err := Update(t.Context(), f.db, f.tree(), Options{}); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	if err := Remove(t.Context(), f.db); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	must(t, lock.Release())
	must(t, Remove(t.Context(), f.db))
	if found := f.find("alpha"); found.Files != 0 || len(found.Terms) != 1 {
		t.Errorf("%+v", found)
	}
}

// TestNothingIsCreated checks that neither a search nor an update creates a
// missing git directory.
func TestNothingIsCreated(t *testing.T) {
	f := newFolder(t)
	f.find("alpha")
	if _, err := os.Stat(filepath.Dir(f.db)); !errors.Is(err, os.ErrNotExist) {
		t.Error("a search made the folder")
	}
	gone := filepath.Join(t.TempDir(), "worktrees", "gone", "agentflow", "contents.db")
	if _, err := Update(t.Context(), gone, f.tree(), Options{}); err == nil {
		t.Error("an update made the git directory of a work tree that was removed")
	}
}

// TestSilentFiles checks that generated files are known but yield no names, or
// are not known.
func TestSilentFiles(t *testing.T) {
	f := newFolder(t)
	f.write("a.go", "func alpha() {}")
	for _, path := range []string{"go.sum", "web/yarn.lock", "web/app.min.js", "vendor/x/x.go", "a/node_modules/x.js", "api.pb.go"} {
		f.write(path, "func alpha() {}")
	}
	f.write("made.go", "// Code generated by hand. DO NOT EDIT.\nfunc alpha() {}")
	f.write("bundle.js", strings.Repeat("alpha();", 500))
	f.write("skipped/b.go", "func alpha() {}")
	f.write("picture.png", "\x89PNG\x00alpha")
	f.write("large.txt", strings.Repeat("alpha\n", MaxFile/6+1))
	tree := f.tree()
	tree.Ignored = func(path string) bool { return strings.HasPrefix(path, "skipped/") }
	_, err := Update(t.Context(), f.db, tree, Options{})
	must(t, err)
	if found := f.find("alpha"); !slices.Equal(found.Paths, []string{"a.go"}) || found.Files != 4 {
		t.Errorf("%+v", found)
	}
}

// TestNoSecretIsStored searches the stored data for secrets that were in files.
func TestNoSecretIsStored(t *testing.T) {
	f := newFolder(t)
	secrets := []string{"hunter2hunter", "AKIAIOSFODNN7EXAMPLE", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "correctHorseBatteryStaple", "sk_live_secretsecret"}
	for i, s := range secrets {
		f.write(fmt.Sprintf("conf/f%d.env", i), "password = \""+s+"\"\nconst "+s+" = 1\n")
	}
	f.update(Options{})
	for _, name := range []string{f.db, f.db + "-wal", f.db + ".lock"} {
		data, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		for _, s := range append(secrets, "password", "orse", "ecret") {
			if strings.Contains(strings.ToLower(string(data)), strings.ToLower(s)) {
				t.Errorf("%s holds %q", name, s)
			}
		}
	}
	if data, err := os.ReadFile(f.db); err != nil || !strings.Contains(string(data), "conf/f0.env") {
		t.Errorf("the path is not where the text was looked for: %v", err)
	}
}
