package gitindex

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's object ids
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/repo"
	"agentflow/internal/testing/gittest"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// indexes are real ones of each version, with every kind of entry.
func indexes(t testing.TB) map[string][]byte {
	out := map[string][]byte{}
	for _, version := range []string{"2", "3", "4"} {
		f := gittest.New(t)
		f.Git("config", "index.version", version)
		f.Write("a.txt", "a\n")
		f.Write("b/c/d.txt", "d\n")
		f.Write("b/c/d2.txt", "d\n")
		f.Write("b/"+strings.Repeat("long/", 200)+"name.txt", "x\n")
		f.Git("update-index", "--add", "--cacheinfo", "100644,"+strings.Repeat("1", 40)+","+strings.Repeat("very/", 900)+"long")
		f.Git("add", "-A", ".")
		f.Git("update-index", "--index-version", version)
		if version != "2" {
			f.Write("later.txt", "x\n")
			f.Git("add", "-N", "later.txt")
			f.Git("update-index", "--skip-worktree", "a.txt")
		}
		raw, err := os.ReadFile(filepath.Join(f.Dir, ".git", "index"))
		gittest.Must(t, err)
		out[version] = raw
	}
	return out
}

// parseWhole is parseIndex with the checksum.
func parseWhole(raw []byte) ([]Entry, error) {
	entries, _, err := parseEntries(raw, git.SHA1)
	if err == nil {
		err = CheckSum(raw, git.SHA1)
	}
	return entries, err
}

// readBack turns entries into those that go-git has of the same bytes.
func readBack(entries []Entry) []*index.Entry {
	var out []*index.Entry
	at := func(s Stamp) time.Time {
		if s == (Stamp{}) {
			return time.Time{}
		}
		return time.Unix(s.Sec, s.Nsec)
	}
	for _, e := range entries {
		out = append(out, &index.Entry{
			Name: e.Name, Hash: plumbing.Hash([]byte(e.ID())), CreatedAt: at(e.Ctime()), ModifiedAt: at(e.Mtime()),
			Dev: e.word(4), Inode: e.Inode(), Mode: filemode.FileMode(e.Mode()), UID: e.word(7), GID: e.word(8), Size: e.Size(),
			Stage: index.Stage(e.Stage()), IntentToAdd: e.extendedFlags()&entryAdded != 0, SkipWorktree: e.extendedFlags()&entrySkip != 0,
		})
	}
	return out
}

// TestParseIndex compares with go-git's reader.
func TestParseIndex(t *testing.T) {
	for version, raw := range indexes(t) {
		var want index.Index
		gittest.Must(t, index.NewDecoder(bytes.NewReader(raw)).Decode(&want))
		got, err := parseWhole(raw)
		gittest.Must(t, err)
		if string(raw[7]+'0') != version || len(got) < 4 || !reflect.DeepEqual(readBack(got), want.Entries) {
			t.Errorf("version %s (%c): %d entries, go-git has %d", version, raw[7]+'0', len(got), len(want.Entries))
		}
		flipped := bytes.Clone(raw)
		flipped[100] ^= 1
		if _, err := parseWhole(flipped); err == nil {
			t.Error("a flipped bit is not seen")
		}
		whole := 0 // cut before an extension it is an index still
		for n := range len(raw) - sha1.Size {
			if _, err := parseWhole(resum(raw[:n])); err == nil {
				whole++
			}
		}
		if whole > 3 {
			t.Errorf("version %s: %d truncated files are taken for an index", version, whole)
		}
	}
}

// resum puts a right checksum at the end.
func resum(raw []byte) []byte {
	sum := sha1.Sum(raw) //nolint:gosec // the format's checksum
	return append(bytes.Clone(raw), sum[:]...)
}

// FuzzParseIndex checks that any bytes that are accepted as an index read as go-git reads them.
func FuzzParseIndex(f *testing.F) {
	for _, raw := range indexes(f) {
		f.Add(raw[:len(raw)-sha1.Size])
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		raw = resum(raw)
		got, err := parseWhole(raw)
		if err != nil {
			return
		}
		var want index.Index
		if err := index.NewDecoder(bytes.NewReader(raw)).Decode(&want); err != nil {
			return // an extension that parseIndex passes over
		}
		if len(got) == 0 && len(want.Entries) == 0 {
			return
		}
		if !reflect.DeepEqual(readBack(got), want.Entries) {
			t.Fatalf("%d entries, go-git has %d", len(got), len(want.Entries))
		}
	})
}

// TestIndexHolds compares what a folder is said to hold with its entries:
// names with others around them, of folders too, and some that are not there.
func TestIndexHolds(t *testing.T) {
	f := gittest.New(t)
	names := []string{"a", "b.x/a", "b/a", "b/a.x/b", "b/aa/b", "b/b", "b/c", "b0/b", "c/z"}
	for _, name := range names {
		f.Git("update-index", "--add", "--cacheinfo", "100644,"+strings.Repeat("1", 40)+","+name)
	}
	raw, err := os.ReadFile(filepath.Join(f.Dir, ".git", "index"))
	gittest.Must(t, err)
	x, err := Parse(raw, git.SHA1)
	gittest.Must(t, err)
	for _, folder := range x.Folders {
		for _, name := range []string{"", "A", "a", "a.x", "aa", "b", "b.x", "bb", "c", "z", "zz"} {
			if got, want := x.Find(folder.Path+name, folder) != nil, slices.Contains(names, folder.Path+name); got != want {
				t.Errorf("%q in %q: %v", name, folder.Path, got)
			}
		}
	}
}

// TestIndexIsReadAgain holds by what an index is taken for the one that was
// read: its checksum, and never without one (index.skipHash).
func TestIndexIsReadAgain(t *testing.T) {
	f := gittest.New(t)
	f.Commit("base", "dir/b.txt", "b\n")
	p, err := repo.Find(t.Context(), f.Dir)
	gittest.Must(t, err)
	read := func(known *Index) *Index {
		x, _, whole, err := Read(t.Context(), p, known)
		gittest.Must(t, err)
		gittest.Must(t, <-whole)
		return x
	}
	first := read(nil)
	if read(first) != first {
		t.Error("the same index is read again")
	}
	raw := slices.Clone(first.raw)
	clear(raw[len(raw)-20:])
	gittest.Must(t, os.WriteFile(f.Path(".git/index"), raw, 0o644))
	second := read(first)
	if second == first || read(second) == second {
		t.Error("an index without a checksum is taken for the one that was read")
	}
}
