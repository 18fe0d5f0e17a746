package exchange

import (
	"crypto/ed25519"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/internal/share"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// add2 writes an entry of version 2.
func (m *member) add2(id string) {
	m.team.Helper()
	at := time.Date(2026, 11, 5, 12, 0, 0, 0, time.UTC)
	e := memory.Entry{ID: "0199bbbb-0000-7000-8000-00000000000" + id, Kind: memory.KindRun, Time: at, Title: "Two"}
	must(m.team, os.MkdirAll(m.Memory, 0o700))
	must(m.team, os.WriteFile(filepath.Join(m.Memory, memory.DayFile(at)), markdown.FormatV2(e), 0o600))
}

// TestLayout shares version 1 until every other clone declares that it reads version 2, and
// again once one joins that does not.
func TestLayout(t *testing.T) {
	w := newTeam(t)
	a, b := w.join("Ada"), w.join("Bob")
	shared := func(m *member, r Report) string {
		return git(t, m.dir, "grep", "-h", "agentflow v=", acceptedRef, "--", "clones/"+string(r.ID))
	}
	a.add2("1")
	if got := shared(a, a.sync(Options{})); !strings.Contains(got, "v=1 ") {
		t.Errorf("by itself a clone shares %s", got)
	}
	b.add2("2")
	if got := shared(b, b.sync(Options{})); !strings.Contains(got, "v=2 ") {
		t.Errorf("beside one that reads version 2 a clone shares %s", got)
	}
	if got := shared(a, a.sync(Options{})); !strings.Contains(got, "v=2 ") {
		t.Errorf("where all declare it a clone shares %s", got)
	}
	old := w.join("Old")
	old.sync(Options{}) // shares nothing
	key, err := old.keyring().key(t.Context())
	must(t, err)
	old.putFolder(string(share.IDOf(key.Public().(ed25519.PublicKey))), old.signed("MEMORY.md")) // by a program from before version 2
	for _, m := range []*member{a, b} {
		if got := shared(m, m.sync(Options{})); !strings.Contains(got, "v=1 ") {
			t.Errorf("beside an older program %s shares %s", m.name, got)
		}
	}
	old.add(4, "By a newer one")
	old.sync(Options{})
	if got := shared(a, a.sync(Options{})); !strings.Contains(got, "v=2 ") {
		t.Errorf("after its update a clone shares %s", got)
	}
}

func TestDeclares(t *testing.T) {
	for list, want := range map[string]bool{"": false, "reads 2\n": true, "0199aaaa-0000-7000-8000-000000000001\n": false,
		"0199aaaa-0000-7000-8000-000000000001\nreads 2\n": true, "purged reads 2\n": false} {
		if got := share.Declares([]byte(list)); got != want {
			t.Errorf("%q: %v", list, got)
		}
	}
	if ids := share.ReadForgotten(share.Declaring([]byte("0199aaaa-0000-7000-8000-000000000001\n"))); len(ids) != 1 {
		t.Errorf("ids %v", ids)
	}
}
