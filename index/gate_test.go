package index

import (
	"testing"

	"agentflow/memory"
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
		if ids, _ := order(t, memory.Query{Text: query, Gate: true}, entries...); ids != want {
			t.Errorf("%q: %q, want %q", query, ids, want)
		}
	}
}
