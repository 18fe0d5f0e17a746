package index

import (
	"strings"
	"testing"

	"agentflow/memory/retrieval"
)

// TestGateOpens checks that a query with one clearly matching entry also admits
// weaker hits, except those unlikely to be useful next to it, and that a query
// without one admits only what it names.
func TestGateOpens(t *testing.T) {
	entries := []string{
		written("about", "Rotate the signing keys of the session store", touching(0, "auth/keys.go")),
		written("weak", "Rotate the keys of the mail server", touching(1, "auth/keys.go")),
		written("unlikely", "Rotate the banner of a session", touching(0, "web/banner.ts")),
		written("talk", "Continue", touching(3, "web/other.ts")),
	}
	for query, want := range map[string]string{
		"rotate the session signing keys again":                      "about weak",
		"rotate the wheels of the bus all day long, says the driver": "",
		"continue": "",
		"say in the driver's handbook what keys.go is for, in plain Finnish": "weak about",
	} {
		if ids, _ := order(t, retrieval.Query{Text: query, Gate: true}, entries...); ids != want {
			t.Errorf("%q: %q, want %q", query, ids, want)
		}
	}
}

// TestAWholeTitleLeads: the entry with a title that is the query comes first, also in a prompt.
func TestAWholeTitleLeads(t *testing.T) {
	entries := []string{
		written("titled", "Change update release date.", touching(900, "CHANGES.md")),
		written("longer", "Change the date of the release, and update the update of the release date. Change the date.", touching(0, "CHANGES.md", "docs/release.md")),
		written("again", "Update the release: change the date and the release, change, update", touching(1, "CHANGES.md")),
	}
	for _, q := range []retrieval.Query{{Text: "Change update release date."}, {Text: " Change  update release date.", Gate: true}} {
		if ids, _ := order(t, q, entries...); !strings.HasPrefix(ids, "titled") {
			t.Errorf("%+v: %q", q, ids)
		}
	}
	if ids, _ := order(t, retrieval.Query{Text: "change the update of the release date"}, entries...); strings.HasPrefix(ids, "titled") {
		t.Errorf("other words: %q", ids)
	}
}
