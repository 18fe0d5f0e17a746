package command

import (
	"strings"
	"testing"

	"agentflow/executor/agent"
	"agentflow/internal/testing/agenttest"
)

func TestContract(t *testing.T) {
	texts := map[string][]byte{
		"empty": nil, "plain": []byte("one\ntwo\n\nthree"), "bytes": []byte("a\xffb\x00\xe6\x97"),
	}
	for name, c := range map[string]struct {
		protocol Protocol
		outputs  map[string][]byte
	}{
		"command": {Text, texts},
		"codex":   {"", texts},
		"mine":    {Claude, agenttest.Recordings(t, "../../..")},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := New(name, []string{"prog", "-x"}, c.protocol)
			if err != nil {
				t.Fatal(err)
			}
			agenttest.Contract(t, a, c.outputs)
		})
	}
}

func TestCommandSaysWhatItCannotDo(t *testing.T) {
	a, err := New("codex", []string{"codex"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Command(agent.Request{Resume: "abc"}); err == nil || !strings.Contains(err.Error(), "codex") {
		t.Errorf("resume: error %v", err)
	}
	cmd, err := a.Command(agent.Request{MaxCostUSD: 1})
	if err != nil || len(cmd.Notes) != 1 {
		t.Errorf("spend cap: notes %q, error %v", cmd.Notes, err)
	}
	for _, bad := range [][]string{nil, {""}} {
		if _, err := New("x", bad, ""); err == nil {
			t.Errorf("no error for the program %q", bad)
		}
	}
	if _, err := New("x", []string{"x"}, "xml"); err == nil {
		t.Error("no error for an unknown protocol")
	}
}
