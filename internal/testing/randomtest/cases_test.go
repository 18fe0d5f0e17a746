package randomtest_test

import (
	"testing"

	"agentflow/internal/testing/randomtest"
)

func TestCases(t *testing.T) {
	for text, want := range map[string]int{"": 50, "7": 7, "200": 200} {
		t.Setenv(randomtest.CasesVar, text)
		if got := randomtest.Cases(t, 50); got != want {
			t.Errorf("%s=%q: %d cases, want %d", randomtest.CasesVar, text, got, want)
		}
	}
}
