package writeback

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"agentflow/memory"
)

// TestBecome: two stores that write one memory in turns end with the same files; what one
// forgets the other can restore, and what one restores is not forgotten for the other.
func TestBecome(t *testing.T) {
	a, b := newPlace(t), newPlace(t)
	first, second := entry(1), entry(2)
	first.Facts = []memory.Fact{{ID: "0199aaaa-0000-7000-8000-00000000f001", Type: memory.Semantic, Text: "The kettle is blue."}}
	a.record(first)
	a.record(second)
	pass := func(from, to *place) {
		t.Helper()
		files := must(from.open().Snapshot(t.Context()))(t)
		if err := to.open().Become(t.Context(), "sync", func(map[string][]byte) map[string][]byte { return files }); err != nil {
			t.Fatal(err)
		}
		if !same(to.files(), from.files()) {
			t.Fatalf("%v\nis not\n%v", to.files(), from.files())
		}
	}
	pass(a, b)
	must(a.open().Forget(t.Context(), first.ID))(t)
	must(a.open().Forget(t.Context(), second.ID))(t)
	pass(a, b)
	for _, id := range []string{first.ID, second.ID} {
		if gone := must(b.open().ForgottenIDs(t.Context()))(t); !gone[id] {
			t.Errorf("%s is not forgotten where it went by Become", id)
		}
	}
	must(b.open().Restore(t.Context(), []string{first.ID}))(t)
	pass(b, a)
	gone := must(a.open().ForgottenIDs(t.Context()))(t)
	if gone[first.ID] || gone[first.Facts[0].ID] || !gone[second.ID] {
		t.Errorf("forgotten after the other restored: %v", gone)
	}
	if barred := must(a.open().Barred(t.Context()))(t); barred(first.ID) || !barred(second.ID) {
		t.Error("what was restored is still barred, or what was forgotten is not")
	}
	// Neither a later command nor a lost folder takes it away again.
	must(a.open().Recover(t.Context()))(t)
	if files := a.files(); !slices.ContainsFunc(slices.Collect(maps.Values(files)), func(text string) bool { return strings.Contains(text, "kettle") }) {
		t.Errorf("what was restored is gone: %v", files)
	}
	// The same again changes nothing.
	end := must(a.open().logs.Main.End())(t)
	pass(b, a)
	if now := must(a.open().logs.Main.End())(t); now != end {
		t.Errorf("Become with what is there wrote to the log: %v, %v", end, now)
	}
}

// must gives a value, or ends the test.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
