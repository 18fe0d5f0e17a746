package setup

import (
	"bytes"
	"strings"
	"testing"

	"agentflow/app/connect"
	"agentflow/cmd/agentflow/cli"
)

// TestWhereWanted: yes means every repository, also where the settings list others, and no
// means that this one is among the listed ones.
func TestWhereWanted(t *testing.T) {
	for _, c := range []struct {
		name              string
		o                 connectOptions
		asked, remembered bool
		terminal          bool
		answer            string
		want              connect.SessionsWhere
		said              string
	}{
		{"yes", connectOptions{}, true, true, true, "\n", connect.SessionsAsBefore, "every repository?"},
		{"no", connectOptions{}, true, true, true, "n\n", connect.SessionsHere, "every repository?"},
		{"yes, others are listed", connectOptions{}, true, false, true, "y\n", connect.SessionsEvery, "every repository?"},
		{"no, others are listed", connectOptions{}, true, false, true, "n\n", connect.SessionsHere, "every repository?"},
		{"connected, others are listed", connectOptions{}, false, false, true, "\n", connect.SessionsHere, "remember them too?"},
		{"connected, others are listed, no", connectOptions{}, false, false, true, "n\n", connect.SessionsAsBefore, "remember them too?"},
		{"connected", connectOptions{}, false, true, true, "", connect.SessionsAsBefore, ""},
		{"no terminal", connectOptions{}, false, false, false, "", connect.SessionsAsBefore, "connect --here"},
		{"--yes", connectOptions{yes: true}, false, false, true, "", connect.SessionsAsBefore, "connect --here"},
		{"--here", connectOptions{here: true}, true, false, true, "", connect.SessionsHere, ""},
		{"--every", connectOptions{every: true}, true, true, true, "", connect.SessionsEvery, ""},
	} {
		var said bytes.Buffer
		door := &cli.Env{Voice: cli.Voice{Out: &said, Err: &said, ErrTTY: c.terminal}, In: strings.NewReader(c.answer), InTTY: c.terminal}
		got := whereWanted(door, c.o, c.asked, c.remembered)
		if got != c.want || !strings.Contains(said.String(), c.said) || c.said == "" && said.Len() > 0 {
			t.Errorf("%s: %q, want %q, said %q", c.name, got, c.want, said.String())
		}
	}
}
