//go:build e2e

package main_test

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	. "agentflow/internal/testing/modeltest"
)

func permissionDenied(l *lab) {
	l.answer(Script{Main: []Turn{
		Use("Write", in{"file_path": l.project + "/a.txt", "content": "a\n"}),
		Use("Bash", in{"command": "touch b.txt", "description": "Make a file"}),
		Say("I could not write anything."),
	}})
	r := l.runJSON(3, "--permission-mode", "default", "Write two files")
	if r.Success || r.Outcome != "failed" || len(r.Denials) != 2 {
		l.Errorf("recorded %+v", r)
	}
	for i, want := range []string{"a.txt", "touch b.txt"} {
		if i < len(r.Denials) && !strings.Contains(r.Denials[i], want) {
			l.Errorf("denial %q does not name %s", r.Denials[i], want)
		}
	}
	if len(r.Uncommitted) > 0 || l.entries("Write two files") != 1 || !strings.Contains(l.memory(), "touch b.txt") {
		l.Errorf("memory:\n%s", l.memory())
	}
}

func apiErrorMidRun(l *lab) {
	l.answer(Script{Main: []Turn{
		Say("Starting. <save_memory>It starts.</save_memory>").Use("Write", in{"file_path": l.project + "/half.txt", "content": "half\n"}),
		Fail(400, "invalid_request_error", "the request was not understood"),
	}})
	r := l.runJSON(3, "Write, then fail")
	if r.Success || r.Outcome != "failed" || !strings.Contains(strings.Join(r.Errors, "\n"), "the request was not understood") {
		l.Errorf("recorded %+v", r)
	}
	if want := []change{{"A", "half.txt", 1, 0}}; !slices.Equal(r.Uncommitted, want) || !slices.Equal(facts(r), []string{"semantic: It starts."}) {
		l.Errorf("uncommitted %v, memories %q", r.Uncommitted, facts(r))
	}
	if strings.Contains(r.Summary, "API Error") {
		l.Errorf("the CLI's own words became the summary: %q", r.Summary)
	}
}

func notLoggedIn(l *lab) {
	l.answer(Script{})
	l.extra = []string{"ANTHROPIC_API_KEY="}
	r := l.runJSON(3, "Hello")
	if r.Success || !strings.Contains(strings.Join(r.Errors, "\n"), "Not logged in") {
		l.Errorf("recorded %+v", r)
	}
}

func silentServer(l *lab) {
	l.answer(Script{Main: []Turn{
		Use("Write", in{"file_path": l.project + "/before.txt", "content": "before\n"}),
		Silence(),
	}})
	f := l.run(124, "run", "--idle-timeout", "10s", "Wait for nothing")
	if f.took > 30*time.Second {
		l.Errorf("it took %v to end", f.took)
	}
	r := l.last()
	if r.Success || r.Outcome != "timeout" || !slices.Equal(r.Uncommitted, []change{{"A", "before.txt", 1, 0}}) {
		l.Errorf("recorded %+v", r)
	}
	if left := l.processes(); len(left) > 0 {
		l.Errorf("left: %q", left)
	}
}

// backgroundProcesses: one process that the CLI knows about and ends itself, and two
// that it does not know, one of them in a session that the shell made for it.
func backgroundProcesses(l *lab) {
	l.config(allowAll)
	l.answer(Script{Main: []Turn{
		Use("Bash", in{"command": "sleep 3071", "description": "Serve", "run_in_background": true}),
		Use("Bash", in{"command": "sleep 3072 >/dev/null 2>&1 & setsid sleep 3073 >/dev/null 2>&1 & echo started", "description": "Serve more"}),
		Say("The servers run."),
	}})
	r := l.runJSON(0, "Start the servers")
	if len(r.Denials) > 0 {
		l.Fatalf("the CLI did not start them: %q", r.Denials)
	}
	if left := l.processes(); len(left) > 0 {
		l.Errorf("left: %q", left)
	}
	remarks := strings.Join(r.Remarks, "\n")
	for _, name := range []string{"ended with it: sleep 3071", "sleep 3072", "sleep 3073"} {
		if !strings.Contains(remarks, name) || !strings.Contains(l.memory(), name) {
			l.Errorf("%s is not named in %q", name, remarks)
		}
	}
}

func ctrlC(l *lab) {
	l.config(allowAll)
	l.answer(Script{Main: []Turn{
		Use("Write", in{"file_path": l.project + "/half.txt", "content": "half\n"}).
			Use("Bash", in{"command": "sleep 3074", "description": "Serve", "run_in_background": true}),
		Say("This never ends.").Hold(),
		Say("The background task was ended."), // asked for now and then, after the interrupt
	}})
	s := l.start("run", "Go on forever")
	l.arrived(2)
	if runtime.GOOS == "linux" && !strings.Contains(strings.Join(l.processes(), "\n"), "sleep 3074") {
		l.Errorf("a process that should be there is not seen: %q", l.processes())
	}
	l.must(s.cmd.Process.Signal(os.Interrupt))
	f := s.wait().want(l, 130)
	if left := l.processes(); len(left) > 0 {
		l.Errorf("left: %q\nstderr: %s", left, f.stderr)
	}
	r := l.last()
	if r.Success || r.Outcome != "interrupted" || !slices.Equal(r.Uncommitted, []change{{"A", "half.txt", 1, 0}}) {
		l.Errorf("recorded %+v", r)
	}
	if l.entries("Go on forever") != 1 {
		l.Errorf("memory:\n%s", l.memory())
	}
}

// deniedCommands: the hint allows the denied check and nothing else, and the CLI agrees.
func deniedCommands(l *lab) {
	script := Script{Main: []Turn{
		Use("Bash", in{"command": "CI=1 go vet ./... 2>&1 | head -5", "description": "Vet"}),
		Use("Bash", in{"command": "git push --force", "description": "Push"}),
		Say("I could not run that."),
	}}
	l.answer(script)
	f := l.run(0, "run", "Vet the module")
	l.Logf("a person sees:\n%s%s", f.stdout, f.stderr)
	const rules = `["Bash(CI=1 go vet *)"]`
	for _, want := range []string{"to allow it: agentflow config set agent.claude.allowed_tools '" + rules + "'", `no rule is proposed for "git push --force": it sends commits to others`} {
		if !strings.Contains(f.stderr, want) {
			l.Errorf("no hint %q:\n%s", want, f.stderr)
		}
	}
	l.config("[agent.claude]\nallowed_tools = " + rules + "\n")
	l.answer(script)
	if r := l.runJSON(0, "Vet the module again"); len(r.Denials) != 1 || !strings.Contains(r.Denials[0], "git push") {
		l.Errorf("denied %q", r.Denials)
	}
}
