package cli

import (
	"bytes"
	"strings"
	"testing"
)

// TestAgreedUnlessNo checks that only an answer counts that is yes or no.
func TestAgreedUnlessNo(t *testing.T) {
	for typed, want := range map[string]bool{
		"\n": true, "y\n": true, " YES \n": true, "n\n": false, "No\n": false, "": false,
		"?\nwhat is that\n\n": true, "?\nn\n": false, "?\n": false,
	} {
		var said bytes.Buffer
		c := &Env{In: strings.NewReader(typed), Voice: Voice{Err: &said}}
		if got := c.AgreedUnlessNo("go on?"); got != want {
			t.Errorf("%q: %v", typed, got)
		}
	}
}
