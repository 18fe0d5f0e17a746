package hook

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/app/api"
	"agentflow/app/session"
	"agentflow/app/setup"
	. "agentflow/internal/testing/sessiontest"
)

// TestASlowPromptIsNoFailure: if the deadline ends any part of a prompt's search, the user gets
// no message about it, and status lists no failure. Doctor counts it.
func TestASlowPromptIsNoFailure(t *testing.T) {
	l := newLab(t)
	l.remember("The tokenizer splits identifiers at capital letters.")
	p := l.player()
	p.Start("startup")
	deadlines := []string{"1ns", "1us", "100us", "500us", "1ms", "2ms", "3ms", "5ms", "8ms", "13ms"}
	for _, deadline := range deadlines {
		l.Write(l.SettingsFile(), "[session]\ndeadline = \""+deadline+"\"\n")
		if _, message := p.Turn("Why does the tokenizer split identifiers?", Say("Well.")); strings.Contains(message, "not done") || strings.Contains(message, "doctor") || strings.Contains(message, "deadline") {
			t.Errorf("with a deadline of %s the user reads %q", deadline, message)
		}
	}
	if data, err := os.ReadFile(l.Path(".git/agentflow/failures.jsonl")); err == nil {
		t.Errorf("status lists %s", data)
	}
	if c := l.check("prompts"); c.Grade == "" || !strings.HasPrefix(c.Detail, "of 10 prompts in the last 7 days, ") {
		t.Errorf("doctor says %+v", c)
	}
}

// TestManySlowPromptsAreNamed: doctor warns once a tenth of the prompts, and three of them,
// were slow.
func TestManySlowPromptsAreNamed(t *testing.T) {
	l := newLab(t)
	l.remember("The tokenizer splits identifiers at capital letters.")
	p := l.player()
	p.Start("startup")
	ask := func(deadline string, times int) {
		l.Write(l.SettingsFile(), "[session]\ndeadline = \""+deadline+"\"\n")
		for range times {
			p.Turn("Why does the tokenizer split identifiers?", Say("Well."))
		}
	}
	ask("10s", 1)
	if c := l.check("prompts"); c.Grade != "" {
		t.Errorf("no prompt was slow: %+v", c)
	}
	ask("1ns", 2)
	if c := l.check("prompts"); c.Grade != api.GradeOK || !strings.HasPrefix(c.Detail, "of 3 prompts in the last 7 days, 2 got less memory or none, as the search took longer than a prompt waits (1ns); ") {
		t.Errorf("two of three were slow: %+v", c)
	}
	ask("1ns", 1)
	if c := l.check("prompts"); c.Grade != api.GradeWarn || !strings.Contains(c.Hint, "session.deadline") {
		t.Errorf("three of four were slow: %+v", c)
	}
	files, err := filepath.Glob(l.Path(".git/agentflow/sessions/*/recalls.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	l.Write(strings.TrimPrefix(files[0], l.Repo+"/"), strings.ReplaceAll(l.Read(strings.TrimPrefix(files[0], l.Repo+"/")), time.Now().Format("2006-"), "1999-"))
	old := time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(l.Path(".git/agentflow/late"), old, old); err != nil {
		t.Fatal(err)
	}
	if c := l.check("prompts"); c.Grade != "" {
		t.Errorf("that was long ago: %+v", c)
	}
}

// check returns one of doctor's checks, or the zero value if it is missing.
func (l *lab) check(name string) (found api.Check) {
	l.T.Helper()
	m, err := l.open(l.Repo)
	if err != nil {
		l.T.Fatal(err)
	}
	defer m.Close()
	res, err := setup.Doctor(l.T.Context(), m)
	if err != nil {
		l.T.Fatal(err)
	}
	for _, c := range res.Checks {
		if c.Name == name {
			found = c
		}
	}
	return found
}

// TestASlowHookIsNoFailure: a hook that reaches its limit prints nothing, and leaves its work,
// even if its work then fails or hangs.
func TestASlowHookIsNoFailure(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, moment := range []session.Moment{session.SessionStarted, session.SessionAsked, session.SessionStopped, session.SessionEnded} {
		for name, work := range map[string]func() (session.HookResult, error){
			"fails": func() (session.HookResult, error) { return session.HookResult{}, over.Err() },
			"hangs": func() (session.HookResult, error) {
				<-t.Context().Done()
				return session.HookResult{}, nil
			},
		} {
			res := within(over, session.Event{Moment: moment}, work)
			if res.Message != "" || res.Work == nil || !res.Work.Slow || len(res.Work.Trouble) > 0 {
				t.Errorf("%v %s: %+v, work %+v", moment, name, res, res.Work)
			}
		}
	}
}
