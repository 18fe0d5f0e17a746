package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/testing/bytesearch"
	"agentflow/share/exchange"
)

// TestPurgeReachesOtherClones checks that other clones do not hold the text after their next sync, neither in free
// pages of the index, nor in folders of runs, nor in git objects, loose or packed. If the process is killed after the
// exchange, the next command completes the removal.
func TestPurgeReachesOtherClones(t *testing.T) {
	for _, killed := range []bool{false, true} {
		all, places := people(t, "Ada", "Bob")
		ada, bob := all[0], all[1]
		id := tell(t, ada, "The okapi sleeps in the vault.", "")
		tell(t, ada, "The walrus stays.", "")
		syncAll(t, all...)
		must(Search(t.Context(), bob, SearchRequest{Text: "okapi", Limit: 5}))(t)
		run := runNow(t, bob, "Look who sleeps in the vault", "true").Run
		places[1].Git("repack", "-adkq") // git's own housekeeping
		places[1].Git("prune-packed")
		has := func(p *place) []string {
			t.Helper()
			list := must(bytesearch.Find("okapi", p.Home, p.Repo))(t)
			return slices.DeleteFunc(list, func(path string) bool { return filepath.Dir(path) == p.Repo })
		}
		shown := filepath.Join("runs", run.ID, "prompt.md")
		if list := has(places[1]); len(list) < 4 || !slices.ContainsFunc(list, func(path string) bool { return strings.HasSuffix(path, shown) }) {
			t.Fatalf("Bob has the text in %q: this test sees nothing", has(places[1]))
		}
		purge(t, ada, id)
		must(Sync(t.Context(), ada, SyncRequest{}))(t)
		if killed {
			s := must(openToShare(t.Context(), bob.silent()))(t)
			clone := must(clone(t.Context(), s, must(mustShare(s))(t)))(t)
			must(clone.Exchange(t.Context(), exchange.Options{}))(t)
			if len(has(places[1])) == 0 {
				t.Fatal("nothing is left for the next command")
			}
			must(List(t.Context(), bob, ListRequest{}))(t)
		} else {
			must(Sync(t.Context(), bob, SyncRequest{}))(t)
		}
		for i, name := range []string{"Ada", "Bob"} {
			if left := has(places[i]); len(left) > 0 {
				t.Errorf("killed %v: %s has it in %q", killed, name, left)
			}
			places[i].Git("fsck", "--strict")
		}
		if hits := must(Search(t.Context(), bob, SearchRequest{Text: "walrus", Limit: 5}))(t); len(hits.Hits) == 0 {
			t.Error("the other fact is gone")
		}
	}
}

// TestPurgeSaysWhatItCannotKnow checks that the next command reports that files here may hold the text, if git
// collected the objects after a kill, before the sync could read them.
func TestPurgeSaysWhatItCannotKnow(t *testing.T) {
	all, places := people(t, "Ada", "Bob")
	ada, bob := all[0], all[1]
	id := tell(t, ada, "The okapi sleeps in the vault.", "")
	syncAll(t, all...)
	purge(t, ada, id)
	must(Sync(t.Context(), ada, SyncRequest{}))(t)
	s := must(openToShare(t.Context(), bob.silent()))(t)
	clone := must(clone(t.Context(), s, must(mustShare(s))(t)))(t)
	must(clone.Exchange(t.Context(), exchange.Options{}))(t)
	places[1].Git("gc", "-q", "--prune=now")
	ctx, events := heard(t.Context())
	must(List(ctx, bob, ListRequest{}))(t)
	if !slices.ContainsFunc(*events, func(e Event) bool { return strings.Contains(e.Text, "not known here any more") }) || clone.OwesPurge() {
		t.Errorf("owed %v, said %+v", clone.OwesPurge(), *events)
	}
}

// TestPurgeNamesKeptPacks checks that purged text stays in a pack with a keep mark, that the sync reports the command
// that removes it, and that the command works.
func TestPurgeNamesKeptPacks(t *testing.T) {
	all, places := people(t, "Ada", "Bob")
	id := tell(t, all[0], "The okapi sleeps in the vault.", "")
	syncAll(t, all...)
	bob := places[1]
	bob.Git("repack", "-adkq")
	bob.Git("prune-packed")
	packs := must(filepath.Glob(bob.Path(".git/objects/pack/*.pack")))(t)
	keep := strings.TrimSuffix(packs[0], ".pack") + ".keep"
	if err := os.WriteFile(keep, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	purge(t, all[0], id)
	must(Sync(t.Context(), all[0], SyncRequest{}))(t)
	ctx, events := heard(t.Context())
	must(Sync(ctx, all[1], SyncRequest{}))(t)
	for _, want := range []string{"stay in packs of", "git gc --prune=now", ".keep"} {
		if !slices.ContainsFunc(*events, func(e Event) bool { return strings.Contains(e.Text, want) }) {
			t.Errorf("%q is not said: %+v", want, *events)
		}
	}
	objects := bob.Path(".git/objects")
	if len(must(bytesearch.Find("okapi", objects))(t)) == 0 {
		t.Fatal("nothing is left in the pack")
	}
	if err := os.Remove(keep); err != nil {
		t.Fatal(err)
	}
	bob.Git("gc", "-q", "--prune=now")
	if left := must(bytesearch.Find("okapi", objects))(t); len(left) > 0 {
		t.Errorf("the command leaves %q", left)
	}
}
