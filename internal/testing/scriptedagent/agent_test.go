package scriptedagent

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"scripted-agent": func() { os.Exit(Main()) }})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			env.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
			for _, who := range []string{"AUTHOR", "COMMITTER"} {
				env.Setenv("GIT_"+who+"_NAME", "Dev")
				env.Setenv("GIT_"+who+"_EMAIL", "dev@example.com")
			}
			env.Setenv(ScriptEnv, "script")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"bytes": bytesIn,
		},
	})
}

// bytesIn: bytes FILE N checks that FILE has at least N bytes.
func bytesIn(ts *testscript.TestScript, neg bool, args []string) {
	n, err := size(args[1])
	ts.Check(err)
	if got := len(ts.ReadFile(args[0])); (got >= n) == neg {
		ts.Fatalf("%s has %d bytes", args[0], got)
	}
}

func TestPhraseThatStandsLastCounts(t *testing.T) {
	s, err := parse([]byte("touch always\ntask flaky login\ntouch one\ntask the clock\ntouch two\n"))
	if err != nil {
		t.Fatal(err)
	}
	for prompt, want := range map[string]string{
		"Fix the flaky login test":                             "always one",
		"(earlier: Fix the flaky login test) Why THE CLOCK?":   "always two",
		"(earlier: about the clock) Fix the flaky login test.": "always one",
		"Something else": "always",
	} {
		var got []string
		for _, st := range s.stepsFor(prompt) {
			got = append(got, st.args[0])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: steps %q, want %q", prompt, got, want)
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	for script, want := range map[string]string{
		"say a\nfly away":  "line 2: no such step: fly away",
		"write only-path":  "line 1: no such step: write only-path",
		`say "never ended`: "line 1: quoted word",
	} {
		if _, err := parse([]byte(script)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", script, err, want)
		}
	}
}

func TestInvalidUTF8StaysInsideTheLine(t *testing.T) {
	var out bytes.Buffer
	s := &stream{out: &out}
	s.say("a\xffb \u4e16 <\xc3")
	if want := "\"text\":\"a\xffb \u4e16 <\xc3\""; !bytes.Contains(out.Bytes(), []byte(want)) {
		t.Errorf("line %q does not hold %q", &out, want)
	}
}
