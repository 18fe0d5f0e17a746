package memory

import "testing"

func TestStandsAlone(t *testing.T) {
	for text, want := range map[string]bool{
		"Use tabs":                         true,
		"Deploy so:\n- tag\n- push":        true,
		"1. Build\n2. Tag it":              true,
		"Nie am Freitag ausliefern.":       true,
		"Key points:":                      false,
		"**Key points:**":                  false,
		"**Key points**:":                  false,
		"要点：":                              false,
		"```sh\nmake all tests\n```":       false,
		"Run them so:\n```\nmake it\n```":  false,
		"~~~\nmake it\n~~~":                false,
		"| one two | b |\n|---|---|":       false,
		"npm":                              false,
		"- 8080 1":                         false,
		"":                                 false,
		"Pipes such as a | b are fine too": true,
	} {
		if got := StandsAlone(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
