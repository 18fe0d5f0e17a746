package exchange

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// twin makes another machine from the same disk as a member's: it has the same key.
func (m *member) twin() *member {
	m.team.Helper()
	dir := filepath.Join(m.team.TempDir(), "twin")
	must(m.team, os.CopyFS(dir, os.DirFS(m.dir)))
	b := m.team.at(dir, m.name)
	key, err := m.keyring().key(m.team.Context())
	must(m.team, err)
	b.Key = key
	return b
}

// copied makes a copy of a member's clone in another place.
func (m *member) copied() *member {
	m.team.Helper()
	dir := filepath.Join(m.team.TempDir(), "copy")
	must(m.team, os.CopyFS(dir, os.DirFS(m.dir)))
	return m.team.at(dir, m.name)
}

// TestTwins: two machines from one disk write one folder. In any order of syncs, both have the
// text of both, a colleague sees all of it, and in the end nothing is left to push.
func TestTwins(t *testing.T) {
	for _, first := range []int{0, 1} {
		w := newTeam(t)
		a, bob := w.join("Ada"), w.join("Bob")
		all := []string{a.add(1, "Zero")}
		a.sync(Options{})
		b := a.twin()
		all = append(all, a.add(1, "One"), b.add(1, "Two"), a.add(2, "Three"), b.add(3, "Four"))
		order := []*member{a, b}
		if first == 1 {
			slices.Reverse(order)
		}
		order[0].sync(Options{})
		order[1].sync(Options{})
		order[0].sync(Options{})
		bob.sync(Options{})
		for _, m := range []*member{a, b, bob} {
			if got := m.sees(); !slices.Equal(got, all) {
				t.Errorf("%d: %s sees %v, want %v", first, m.name, got, all)
			}
		}
		for _, m := range []*member{a, b, a} {
			if r := m.sync(Options{}); r.Pushed {
				t.Errorf("%d: a sync with nothing new pushes %q", first, r.Files)
			}
		}
	}
}

// TestPurgeWithFormerKey: an item that a clone or its copy purges is removed from the folders
// and the memory of both, whichever has the first key. An item that one of them only forgets
// stays in the other.
func TestPurgeWithFormerKey(t *testing.T) {
	for _, byCopy := range []bool{true, false} {
		w := newTeam(t)
		a, bob := w.join("Ada"), w.join("Bob")
		secret, forgotten, kept := a.add(1, "The secret okapi"), a.add(1, "Forgotten"), a.add(2, "Kept")
		first := a.sync(Options{}).ID
		b := a.copied()
		own := b.add(3, "The copy's")
		if second := b.sync(Options{}).ID; second == first {
			t.Fatal("the copy has the key")
		}
		a.sync(Options{})
		bob.sync(Options{})
		by, other := a, b
		if byCopy {
			by, other = b, a
		}
		by.drop(forgotten)
		by.sync(Options{})
		by.drop(secret)
		by.sync(Options{Purge: true, Purged: []string{secret}})
		other.sync(Options{})
		by.sync(Options{})
		bob.sync(Options{})
		for _, m := range []*member{a, b, bob} {
			if got := m.sees(); slices.Contains(got, secret) || !slices.Contains(got, kept) || !slices.Contains(got, own) {
				t.Errorf("copy %v: %s sees %v", byCopy, m.name, got)
			}
		}
		if text, err := os.ReadFile(filepath.Join(other.Memory, "2026-11-02.md")); err != nil || !strings.Contains(string(text), forgotten) {
			t.Errorf("copy %v: the other lost what was forgotten: %s, %v", byCopy, text, err)
		}
		if text := git(t, w.remote, "log", "-p", Ref); strings.Contains(text, "okapi") {
			t.Errorf("copy %v: the ref leads to the text: %s", byCopy, text)
		}
		for _, m := range []*member{a, b, a, b} {
			if r := m.sync(Options{}); r.Pushed {
				t.Errorf("copy %v: a sync with nothing new pushes %q", byCopy, r.Files)
			}
		}
	}
}

// TestWithdrawOfFormerKey: a withdrawal also empties the folders of former keys.
func TestWithdrawOfFormerKey(t *testing.T) {
	w := newTeam(t)
	a := w.join("Ada")
	a.add(1, "The secret okapi")
	a.sync(Options{})
	b := a.copied()
	b.sync(Options{})
	b.sync(Options{Withdraw: true})
	if out, err := exec.Command("git", "-C", w.remote, "grep", "okapi", Ref).Output(); err == nil {
		t.Errorf("the ref has %s", out)
	}
	if a.sync(Options{}); len(a.files()) == 0 {
		t.Error("the first clone lost its memory")
	}
}

// TestBackupPutBack: an older state of a clone gets the text of its folder, and loses the items
// that were forgotten and purged since then.
func TestBackupPutBack(t *testing.T) {
	w := newTeam(t)
	a := w.join("Ada")
	a.Holders = t.TempDir()
	secret, forgotten, kept := a.add(1, "The secret okapi"), a.add(1, "Forgotten"), a.add(1, "Kept")
	a.sync(Options{})
	backup := filepath.Join(t.TempDir(), "backup")
	must(t, os.CopyFS(backup, os.DirFS(a.dir)))
	newer := []string{kept, a.add(1, "Newer"), a.add(4, "Of another day")}
	a.drop(forgotten)
	a.sync(Options{})
	a.drop(secret)
	a.sync(Options{Purge: true, Purged: []string{secret}})
	must(t, os.RemoveAll(a.dir))
	must(t, os.CopyFS(a.dir, os.DirFS(backup)))
	newer = append(newer, a.add(2, "Of the backup"))
	r := a.sync(Options{})
	if got := a.sees(); !slices.Equal(got, newer) || len(r.Restored) == 0 {
		t.Errorf("it has %v, want %v: %+v", got, newer, r)
	}
	bob := w.join("Bob")
	if bob.sync(Options{}); !slices.Equal(bob.sees(), newer) {
		t.Errorf("Bob sees %v, want %v", bob.sees(), newer)
	}
	if text := git(t, w.remote, "log", "-p", Ref); strings.Contains(text, "okapi") {
		t.Errorf("the ref leads to the text: %s", text)
	}
}

// TestKilledExchangeIsNoOthers: the push of a killed exchange counts as this clone's, so items
// that were removed since then are not restored.
func TestKilledExchangeIsNoOthers(t *testing.T) {
	w := newTeam(t)
	a := w.join("Ada")
	kept := a.add(1, "Kept")
	a.sync(Options{})
	state, err := os.ReadFile(a.stateFile())
	must(t, err)
	out := a.add(1, "Taken out by hand")
	a.sync(Options{})
	must(t, os.WriteFile(a.stateFile(), state, 0o600))
	git(t, a.dir, "update-ref", mineRef, acceptedRef)
	a.drop(out)
	if r := a.sync(Options{}); !slices.Equal(a.sees(), []string{kept}) {
		t.Errorf("it has %v: %+v", a.sees(), r)
	}
}
