package usecount

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func read(t *testing.T, f File) map[string]Use {
	t.Helper()
	all, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestCountsByKind(t *testing.T) {
	f := File{t.TempDir()}
	if all := read(t, f); len(all) != 0 {
		t.Errorf("of nothing: %v", all)
	}
	f.Add(t.Context(), Prompt, []string{"a", "b", "", "no id", strings.Repeat("x", 200)}, noon)
	f.Add(t.Context(), Search, []string{"b"}, noon.Add(time.Hour))
	f.Add(t.Context(), Get, []string{"b"}, noon.Add(-time.Hour))
	want := map[string]Use{"a": {Prompt: 1, Last: noon}, "b": {Prompt: 1, Search: 1, Get: 1, Last: noon.Add(time.Hour)}}
	if got := read(t, f); !reflect.DeepEqual(got, want) || got["b"].Count() != 3 {
		t.Errorf("%v, want %v", got, want)
	}
	if err := f.Forget(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	f.Add(t.Context(), Get, []string{"a"}, noon)
	want = map[string]Use{"a": {Prompt: 1, Get: 1, Last: noon}}
	if got := read(t, f); !reflect.DeepEqual(got, want) {
		t.Errorf("after a purge %v, want %v", got, want)
	}
}

// TestTheFileIsBounded: its lines are summed up, and nothing that was of use
// lately is lost by that.
func TestTheFileIsBounded(t *testing.T) {
	f := File{t.TempDir()}
	ids := make([]string, 2000)
	for round := range 40 {
		for i := range ids {
			ids[i] = fmt.Sprintf("0199aaaa-0000-7000-8000-%06d%06d", round%5, i)
		}
		f.Add(t.Context(), Search, ids, noon.Add(time.Duration(round)*time.Minute))
		if info, err := os.Stat(f.path()); err != nil || info.Size() > 2*maxBytes {
			t.Fatalf("round %d: %v, %v", round, info.Size(), err)
		}
	}
	all := read(t, f)
	if u := all[ids[7]]; u.Search == 0 || !u.Last.Equal(noon.Add(39*time.Minute)) {
		t.Errorf("the newest has %+v", u)
	}
	if len(all) > 3*keptIDs {
		t.Errorf("%d ids are kept", len(all))
	}
}

// TestManyCountAtOnce: no use is lost while the file is summed up.
func TestManyCountAtOnce(t *testing.T) {
	defer func(wait time.Duration) { lockWait = wait }(lockWait)
	lockWait = time.Minute
	f := File{t.TempDir()}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for n := range 20 {
				f.Add(t.Context(), Get, []string{"a"}, noon)
				if n%7 == 0 {
					_ = f.Forget(t.Context(), "other")
				}
			}
		})
	}
	all.Wait()
	if u := read(t, f)["a"]; u.Get != 160 {
		t.Errorf("%+v", u)
	}
}

// TestNothingFails: invalid files and folders count nothing, and cause no failure.
func TestNothingFails(t *testing.T) {
	f := File{filepath.Join(t.TempDir(), "missing")}
	f.Add(t.Context(), Get, []string{"a"}, noon)
	if _, err := os.Stat(f.Dir); err == nil {
		t.Error("the folder was made")
	}
	f = File{t.TempDir()}
	odd := "\x00\xff\n+ x get a\n+ 1 dream a\n= 1 2 3 a\n= 1 -2 3 4 a\n+ 1 get a\ntorn + 1 get b\n+ 1 get c"
	if err := os.WriteFile(f.path(), []byte(odd), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := read(t, f); len(got) != 1 || got["a"].Get != 1 {
		t.Errorf("%v", got)
	}
	f = File{t.TempDir()}
	if err := os.Mkdir(f.path(), 0o700); err != nil {
		t.Fatal(err)
	}
	f.Add(t.Context(), Get, []string{"a"}, noon)
	if _, err := f.Read(); err == nil {
		t.Error("a folder was read")
	}
}
