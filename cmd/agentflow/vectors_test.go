package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/api"
	"agentflow/memory"
)

// known is a lab whose memory holds a note with its vector.
func known(t *testing.T) (*lab, *provider) {
	t.Helper()
	l, p := newLab(t, ""), newProvider(t)
	l.embedWith(`provider = "openai"`, `model = "m"`, `base_url = "http://`+p.addr+`/v1"`)
	l.Agentflow("remember", "The flaky login test races the clock.")
	l.Agentflow("index")
	l.wantVectors(1, 0)
	return l, p
}

// wantVectors checks what status tells of them.
func (l *lab) wantVectors(vectors, pending int) {
	l.T.Helper()
	var o api.Status
	if err := json.Unmarshal([]byte(l.Agentflow("status", "--json")), &o); err != nil {
		l.T.Fatal(err)
	}
	if o.Index.Vectors != vectors || o.Index.Pending != pending {
		l.T.Errorf("%d vectors, %d pending; want %d and %d", o.Index.Vectors, o.Index.Pending, vectors, pending)
	}
}

// wantMeaning searches, and wants nothing said and vectors that count.
func (l *lab) wantMeaning() {
	l.T.Helper()
	stdout, stderr, _ := l.try("search", "--json", "--explain", "flaky login test clock")
	var hits []memory.Hit
	if err := json.Unmarshal([]byte(stdout), &hits); err != nil {
		l.T.Fatal(err)
	}
	if stderr != "" || len(hits) == 0 || hits[0].Explain.Vector <= 0 {
		l.T.Errorf("said %q, hits %+v", stderr, hits)
	}
}

// TestProviderInTrouble: a run recalls by keywords, is recorded and ends as
// it would have; what is missing is said once, shown by status and doctor,
// and made good by itself. A provider that never answers would hang a command
// that waits for it.
func TestProviderInTrouble(t *testing.T) {
	for mode, why := range map[string]string{
		down: "connection refused", slow: "no answer within 1s", dimension: "32 dimensions instead of 64", tooFew: "0 vectors for 1 texts",
		refusing: "set api_key_env in [embed]",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel() // the slow one waits
			l, p := known(t)
			p.be(mode)
			for want, flags := range map[int][]string{exitOK: {}, exitNotRecorded: {"--strict"}} {
				args := append([]string{"run", "-q", "--agent", "command", "Fix the flaky login"}, flags...)
				stdout, stderr, code := l.try(append(args, "--", "cat")...)
				if code != want || !strings.Contains(stdout, "races the clock") {
					t.Errorf("exit code %d, prompt %q", code, stdout)
				}
				l.wantOnce(stderr, why)
			}
			stdout, stderr, code := l.try("recall", "Fix the flaky login")
			if code != exitOK || !strings.Contains(stdout, "races the clock") {
				t.Errorf("exit code %d, block %q", code, stdout)
			}
			l.wantOnce(stderr, why)
			l.wantVectors(1, 2)
			if status := l.Agentflow("status"); !strings.Contains(status, "2 waiting") || !strings.Contains(status, why) {
				t.Errorf("status\n%s", status)
			}
			l.wantDoctor(api.GradeWarn, mode)

			p.be(well)
			l.wantMeaning()
			l.wantVectors(3, 0)
			l.wantDoctor(api.GradeOK, mode)
		})
	}
}

func (l *lab) wantOnce(stderr, why string) {
	l.T.Helper()
	if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "warning: searched by keywords only") || !strings.Contains(stderr, why) {
		l.T.Errorf("said %q", stderr)
	}
}

// wantDoctor checks the doctor's line on the embedder. It asks for one vector
// and does not know what the index holds.
func (l *lab) wantDoctor(want api.Grade, mode string) {
	l.T.Helper()
	if mode == dimension {
		return
	}
	stdout, _, _ := l.try("doctor", "--json")
	var checks []api.Check
	if err := json.Unmarshal([]byte(stdout), &checks); err != nil {
		l.T.Fatal(err)
	}
	for _, c := range checks {
		if c.Name == "embedder" {
			if c.Grade != want || (want == api.GradeWarn) != (c.Hint != "") {
				l.T.Errorf("doctor says %+v", c)
			}
			return
		}
	}
	l.T.Errorf("no embedder in %s", stdout)
}

// TestEmbedderChanges: vectors of another model, dimension or provider are
// made anew, which is said once.
func TestEmbedderChanges(t *testing.T) {
	l, p := known(t)
	asked := len(p.texts())
	l.wantMeaning()
	if n := len(p.texts()) - asked; n != 1 {
		t.Errorf("%d texts were embedded for a query", n)
	}
	base := `base_url = "http://` + p.addr + `/v1"`
	for _, lines := range [][]string{
		{`provider = "openai"`, `model = "other"`, base},
		{`provider = "openai"`, `model = "other"`, `dimensions = 16`, base},
		{`provider = "local"`},
		{`provider = "openai"`, `model = "m"`, base},
	} {
		l.embedWith(lines...)
		_, stderr, _ := l.try("search", "flaky login")
		if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "the vectors are made anew") {
			t.Errorf("%v: said %q", lines, stderr)
		}
		l.wantMeaning()
		l.wantVectors(1, 0)
	}
}

// TestEmbedderThatCannotBeMade: settings that make no embedder are no reason
// not to run.
func TestEmbedderThatCannotBeMade(t *testing.T) {
	l, _ := known(t)
	for _, c := range []struct{ lines, want string }{
		{"provider = \"openai\"", "set api_key_env in [embed]"},
		{"provider = \"openai\"\napi_key_env = \"NO_SUCH_KEY\"", "NO_SUCH_KEY, which api_key_env in [embed] names, is not set"},
		{"provider = \"ollama\"\nbase_url = \"ftp://x\"", "base_url in [embed]: want http"},
		{"provider = \"static\"\ndir = \"/no/such/model\"", "/no/such/model"},
	} {
		l.embedWith(c.lines)
		stdout, stderr, code := l.try("run", "-q", "--agent", "command", "Fix the flaky login", "--", "cat")
		if code != exitOK || !strings.Contains(stdout, "races the clock") || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d, said %q", c.lines, code, stderr)
		}
		if status := l.Agentflow("status"); !strings.Contains(status, c.want) {
			t.Errorf("status\n%s", status)
		}
		l.wantDoctor(api.GradeWarn, "")
	}
}

// TestClaudeEmbedder: who is in a hurry, or only looks, does not pay for an
// answer that comes too late.
func TestClaudeEmbedder(t *testing.T) {
	l := newLab(t, "")
	calls := filepath.Join(l.Home, "calls")
	numbers := strings.Repeat("0.5,", 23) + "0.5"
	l.Write(filepath.Join(l.Home, "bin/claude"), "#!/bin/sh\ncat >/dev/null\necho \"$*\" >>"+calls+
		"\necho '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"[["+numbers+"]]\"}'\n")
	if err := os.Chmod(filepath.Join(l.Home, "bin/claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	l.Env = append(l.Env, "PATH="+filepath.Join(l.Home, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	l.embedWith(`provider = "claude"`)
	l.Agentflow("remember", "The flaky login test races the clock.")
	for want, args := range [][]string{{"recall", "Fix the flaky login"}, {"index"}, {"search", "flaky"}} {
		for _, free := range [][]string{{"recall", "flaky login"}, {"status"}, {"doctor"}, {"run", "-q", "--no-record", "--agent", "command", "Fix the flaky login", "--", "cat"}} {
			if stdout, stderr, code := l.try(free...); code != exitOK || stderr != "" {
				t.Errorf("%v: exit code %d, said %q\n%s", free, code, stderr, stdout)
			}
		}
		l.Agentflow(args...)
		asked, err := os.ReadFile(calls)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if n := strings.Count(string(asked), "--system-prompt"); n != want {
			t.Errorf("after %v: asked %d times, want %d", args, n, want)
		}
	}
	l.wantMeaning()
}

// TestIndexWithoutItsProvider: the verb that is for vectors fails without
// them, the text is indexed all the same.
func TestIndexWithoutItsProvider(t *testing.T) {
	l, p := known(t)
	p.be(down)
	l.Agentflow("remember", "Okapis are shy.")
	stdout, stderr, code := l.try("index")
	if code != exitError || !strings.Contains(stdout, "1 without a vector") || !strings.Contains(stderr, "error: completing the vectors") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	p.be(well)
	l.Agentflow("index")
	l.wantVectors(2, 0)
}

// TestProviderGetsNoSecrets: neither what is searched for nor what somebody
// wrote by hand reaches a provider as it is, nor does a measure send it.
func TestProviderGetsNoSecrets(t *testing.T) {
	l, p := known(t)
	l.Write(".agentflow/memory/hand.md", "# Staging\n\nThe staging database has DB_PASSWORD=correct-horse-9 since May.\n")
	l.Agentflow("search", "staging database DB_PASSWORD=battery-staple-7")
	all := strings.Join(p.texts(), "\n")
	if !strings.Contains(all, "since May") || strings.Count(all, "staging database") != 2 || strings.Contains(all, "horse") || strings.Contains(all, "staple") {
		t.Errorf("it was sent\n%s", all)
	}
	l.Write(filepath.Join(l.Home, "questions.jsonl"), `{"question":"staging database DB_PASSWORD=battery-staple-7","answers":[]}`+"\n")
	l.Agentflow("eval", "queries", filepath.Join(l.Home, "questions.jsonl"), "--memory", ".agentflow/memory", "--embed", "openai")
	measured := strings.Join(p.texts(), "\n")
	if strings.Count(measured, "staging database") != 4 || strings.Contains(measured, "horse") || strings.Contains(measured, "staple") {
		t.Errorf("a measure sent\n%s", measured)
	}
}
