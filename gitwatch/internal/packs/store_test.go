package packs

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/gittest"
)

// history is a repository with files that grow and change over many commits, so that
// git makes deltas of deltas.
func history(t *testing.T) *gittest.Repo {
	f := gittest.New(t)
	var stream, text strings.Builder
	file := func(name, text string) {
		fmt.Fprintf(&stream, "M 100644 inline %s\ndata %d\n%s\n", name, len(text), text)
	}
	for i := range 60 {
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter C <c@example.org> %d +0000\ndata <<.\ncommit %d\n.\n", 1_700_000_000+i, i)
		fmt.Fprintf(&text, "line %d of a file that grows, %x\n", i, sha1.Sum([]byte{byte(i)}))
		file("grows.txt", text.String())
		file(fmt.Sprintf("folder%d/file.txt", i%7), strings.Repeat(fmt.Sprint("round ", i, "\n"), i))
	}
	stream.WriteString("tag v1\nfrom refs/heads/main\ntagger C <c@example.org> 1700000100 +0000\ndata 5\na tag\n")
	_, err := f.TryWith(stream.String(), "-c", "fastimport.unpackLimit=10000", "fast-import", "--quiet")
	gittest.Must(t, err)
	f.Git("reset", "-q", "--hard")
	f.Write("empty", "")
	f.Git("add", ".")
	f.Git("commit", "-q", "-m", "an empty file")
	return f
}

// everyObject asks git for all objects that it has, and the store for each of them.
func everyObject(t *testing.T, dir string, s *Store) int {
	t.Helper()
	cmd := exec.Command("git", "cat-file", "--batch-all-objects", "--batch", "--unordered")
	cmd.Dir = dir
	out, err := cmd.Output()
	gittest.Must(t, err)
	in := bufio.NewReader(bytes.NewReader(out))
	for n := 0; ; n++ {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			return n
		}
		var name, kind string
		var size int64
		_, err = fmt.Sscanf(line, "%s %s %d", &name, &kind, &size)
		gittest.Must(t, err)
		want := make([]byte, size+1)
		_, err = io.ReadFull(in, want)
		gittest.Must(t, err)
		id := idOf(t, name)
		got, raw, err := s.Object(id, size)
		if err != nil || got != kind || !bytes.Equal(raw, want[:size]) {
			t.Fatalf("%s %s: have %s of %d bytes, want %d; %v", kind, name, got, len(raw), size, err)
		}
		if size > 0 {
			if _, _, err := s.Object(id, size-1); !errors.Is(err, ErrTooLarge) {
				t.Fatalf("%s %s of %d bytes within %d: %v", kind, name, size, size-1, err)
			}
		}
	}
}

func idOf(t *testing.T, name string) (id ID) {
	b, err := hex.DecodeString(strings.TrimSpace(name))
	gittest.Must(t, err)
	copy(id[:], b)
	return id
}

// TestEveryObject reads each object of repositories that git keeps in its ways.
func TestEveryObject(t *testing.T) {
	for name, keep := range map[string]func(t *testing.T, f *gittest.Repo){
		"loose":       func(*testing.T, *gittest.Repo) {},
		"one pack":    func(_ *testing.T, f *gittest.Repo) { f.Git("gc", "-q") },
		"long chains": func(_ *testing.T, f *gittest.Repo) { f.Git("repack", "-adfq", "--depth=250", "--window=50") },
		"named bases": func(_ *testing.T, f *gittest.Repo) {
			f.Git("-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq")
		},
		"many packs": manyPacks,
		"midx":       func(t *testing.T, f *gittest.Repo) { manyPacks(t, f); f.Git("multi-pack-index", "write") },
		"midx and others": func(t *testing.T, f *gittest.Repo) {
			manyPacks(t, f)
			f.Git("multi-pack-index", "write")
			more(f)
			f.Git("repack", "-dq")
		},
		"thin packs": thinPack,
	} {
		t.Run(name, func(t *testing.T) {
			f := history(t)
			keep(t, f)
			s := Open(filepath.Join(f.Dir, ".git", "objects"))
			defer s.Close()
			if n := everyObject(t, f.Dir, s); n < 200 {
				t.Errorf("only %d objects", n)
			}
			if _, _, err := s.Object(ID{1}, maxSize); !errors.Is(err, ErrMissing) {
				t.Errorf("an object that is not there: %v", err)
			}
		})
	}
}

func more(f *gittest.Repo) {
	f.Write("more.txt", fmt.Sprint("more ", *f.Ticks, "\n"))
	f.Git("add", ".")
	f.Git("commit", "-q", "-m", "more")
}

// manyPacks has a pack for every few commits.
func manyPacks(t *testing.T, f *gittest.Repo) {
	t.Helper()
	for i := 0; i <= 60; i += 5 {
		revs := fmt.Sprintf("HEAD~%d\n^HEAD~%d\n", 60-min(60, i+5), 60-i)
		if i == 0 {
			revs = "HEAD~55\n"
		}
		if out, err := f.TryWith(revs, "pack-objects", "-q", "--revs", ".git/objects/pack/pack"); err != nil {
			t.Fatalf("pack-objects: %v %s", err, out)
		}
	}
	f.Git("repack", "-dq")
	f.Git("prune-packed", "-q")
}

// thinPack has packs that were fetched: their bases were in others.
func thinPack(t *testing.T, f *gittest.Repo) {
	t.Helper()
	from := f.Dir + ".from"
	gittest.Must(t, os.Rename(f.Dir, from))
	older := f.At(from, f.Run)
	older.Git("clone", "-q", "--no-local", from, f.Dir)
	for i := range 3 {
		older.Write("grows.txt", strings.Repeat(fmt.Sprint("other ", i, "\n"), 400))
		older.Git("commit", "-qam", "later")
		f.Git("-c", "fetch.unpackLimit=1", "pull", "-q")
	}
}

// TestAlternates reads objects that are borrowed, through several hops and relative
// paths.
func TestAlternates(t *testing.T) {
	f := history(t)
	f.Git("gc", "-q")
	one, two := f.Dir+".one", f.Dir+".two"
	f.Git("clone", "-q", "--shared", f.Dir, one)
	f.Git("clone", "-q", "--shared", one, two)
	info := filepath.Join(one, ".git", "objects", "info", "alternates")
	rel, err := filepath.Rel(filepath.Join(one, ".git", "objects"), filepath.Join(f.Dir, ".git", "objects"))
	gittest.Must(t, err)
	gittest.Must(t, os.WriteFile(info, []byte("# borrowed\n"+rel+"\n"), 0o600))
	s := Open(filepath.Join(two, ".git", "objects"))
	defer s.Close()
	if n := everyObject(t, two, s); n < 200 {
		t.Errorf("only %d objects", n)
	}
}

// TestPacksChange continues to read while git packs loose objects, and packs them again.
func TestPacksChange(t *testing.T) {
	f := history(t)
	s := Open(filepath.Join(f.Dir, ".git", "objects"))
	defer s.Close()
	everyObject(t, f.Dir, s)
	for _, args := range [][]string{{"repack", "-dq"}, {"repack", "-adfq"}, {"multi-pack-index", "write"}, {"gc", "-q", "--prune=now"}} {
		f.Git(args...)
		more(f)
		everyObject(t, f.Dir, s)
	}
}

// TestDamageIsNoMissingObject holds that an index that cannot be read is not taken
// for one without the object.
func TestDamageIsNoMissingObject(t *testing.T) {
	f := history(t)
	f.Git("gc", "-q")
	head := idOf(t, f.Git("rev-parse", "HEAD"))
	for _, ending := range []string{"idx", "pack"} {
		list, err := filepath.Glob(filepath.Join(f.Dir, ".git", "objects", "pack", "*."+ending))
		gittest.Must(t, err)
		text, err := os.ReadFile(list[0])
		gittest.Must(t, err)
		gittest.Must(t, os.Remove(list[0]))
		gittest.Must(t, os.WriteFile(list[0], bytes.Repeat([]byte("rubbish "), len(text)/8), 0o600))
		s := Open(filepath.Join(f.Dir, ".git", "objects"))
		if _, _, err := s.Object(head, maxSize); err == nil || errors.Is(err, ErrMissing) {
			t.Errorf("with a damaged %s: %v", ending, err)
		}
		s.Close()
		gittest.Must(t, os.WriteFile(list[0], text, 0o600))
	}
}

// TestMissesAreCheap holds that an object that is missing has packs listed again only
// where their folder has changed.
func TestMissesAreCheap(t *testing.T) {
	f := history(t)
	f.Git("repack", "-dq")
	packs := filepath.Join(f.Dir, ".git", "objects", "pack")
	past := time.Now().Add(-time.Hour)
	gittest.Must(t, os.Chtimes(packs, past, past))
	s := Open(filepath.Dir(packs))
	defer s.Close()
	miss := func() *folder {
		if _, _, err := s.Object(ID{1}, maxSize); !errors.Is(err, ErrMissing) {
			t.Fatal(err)
		}
		return s.folders[0]
	}
	if first := miss(); miss() != first {
		t.Error("packs were listed again")
	}
	more(f)
	f.Git("repack", "-dq")
	if first := s.folders[0]; everyObject(t, f.Dir, s) < 200 || miss() == first {
		t.Error("a pack that came was not looked for")
	}
}
