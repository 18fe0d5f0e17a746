package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "agentflow/internal/testing/sessiontest"
	"agentflow/memory"
)

// A user's wishes for later work are learnt from the turns of a session if the user chose that.
// The current work and shown memory are not.
func TestASessionTeaches(t *testing.T) {
	l := newLab(t)
	dir := t.TempDir()
	question, answer := filepath.Join(dir, "question"), filepath.Join(dir, "answer")
	agent, _ := json.Marshal([]string{"sh", "-c", "cat >'" + question + "'; cat '" + answer + "'"})
	l.Env = append(l.Env, "AGENTFLOW_EXTRACT_ENABLED=true", "AGENTFLOW_EXTRACT_AGENT=asked", "XDG_CONFIG_HOME="+dir)
	l.must(os.MkdirAll(filepath.Join(dir, "agentflow"), 0o700))
	l.must(os.WriteFile(filepath.Join(dir, "agentflow", "config.toml"), []byte("[agent.asked]\nargv = "+string(agent)+"\n"), 0o600))
	l.must(os.WriteFile(answer, []byte(`{"facts": [
		{"op": "add", "text": "Parsers are indented with tabs", "quote": "Parsers are always indented with tabs", "reason": "The user reads them in a browser"},
		{"op": "add", "text": "The lexer is generated", "quote": "on this branch the lexer is always generated"},
		{"op": "add", "text": "The typo is fixed first", "quote": "fix the typo in line 3"},
		{"op": "add", "text": "The parser of the vault keeps at most forty open files of every kind"},
		{"op": "add", "text": "parse.go holds the whole grammar", "type": "semantic"}]}`), 0o600))
	const known = "The parser of the vault keeps at most forty open files of each kind."
	l.remember(known)
	p := l.player()
	if shown := p.Start("startup"); !strings.Contains(shown, "forty open files") {
		t.Errorf("the session begins with %q", shown)
	}
	p.Turn("Add a parser to the vault. Parsers are always indented with tabs!", Write("parse.go", "package a\n"), Say("parse.go holds the whole grammar. "+known))
	p.Turn("And on this branch the lexer is always generated. Now fix the typo in line 3", Write("parse.go", "package b\n"), Commit("parser", "parse.go"), Say("Done."))
	p.End("prompt_input_exit")

	var facts []string
	for _, e := range l.entries() {
		for _, f := range e.Facts {
			facts = append(facts, f.Namespace+" "+f.Text+" "+f.Reason)
			if f.Source != e.ID || e.Kind != memory.KindSession || f.Confidence == 0 {
				t.Errorf("%+v of %s", f, e.ID)
			}
		}
	}
	want := []string{" Parsers are indented with tabs The user reads them in a browser", "branch/main The lexer is generated ", " parse.go holds the whole grammar "}
	if !slices.Equal(facts, want) {
		t.Errorf("learnt %q, want %q", facts, want)
	}
	asked, err := os.ReadFile(question)
	if err != nil || !strings.Contains(string(asked), `{"by":"agent","text":"parse.go holds`) || strings.Index(string(asked), `"by":"user","text":"And on this`) < strings.Index(string(asked), `"by":"agent","text":"parse.go`) {
		t.Errorf("asked %s, %v", asked, err)
	}
}

func (l *lab) must(err error) {
	l.T.Helper()
	if err != nil {
		l.T.Fatal(err)
	}
}
