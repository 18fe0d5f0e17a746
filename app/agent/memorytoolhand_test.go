package agent_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/agent"
	"agentflow/app/fact"
	"agentflow/app/list"
	"agentflow/internal/agentlimit"
	"agentflow/internal/memorytool"
	"agentflow/internal/testing/apptest"
)

// TestMemoryToolLeavesAPersonsLinesAlone checks that no command of an agent removes a line that a person wrote into
// notes. The agent may write around it.
func TestMemoryToolLeavesAPersonsLinesAlone(t *testing.T) {
	u := apptest.NewToolUser(t)
	u.Do(apptest.Create("/memories/plan.md", "the agent's first\nthe agent's last\n"))
	u.Write(".agentflow/memory/notes/plan.md", "the agent's first\nnever push on Fridays\nthe agent's last\n")
	u.Write(".agentflow/memory/notes/team/mine.md", "# Mine\n\nask Ada before a release\n")
	top, text := 0, "# Title"
	const refused = " stays as it is: a person wrote it"
	for name, test := range map[string]struct {
		do    memorytool.Command
		where string
	}{
		"replace a line":       {apptest.Replace("/memories/plan.md", "never push", "always push"), "line 2 of /memories/plan.md"},
		"replace a part":       {apptest.Replace("/memories/plan.md", "Fridays", "Mondays"), "line 2 of /memories/plan.md"},
		"cut it with others":   {apptest.Replace("/memories/plan.md", "first\nnever push on Fridays\nthe", "first and"), "line 2 of /memories/plan.md"},
		"write behind it":      {apptest.Replace("/memories/plan.md", "on Fridays", "on Fridays, but today"), "line 2 of /memories/plan.md"},
		"strike it":            {apptest.Replace("/memories/plan.md", "never push on Fridays", "~~never push on Fridays~~"), "line 2 of /memories/plan.md"},
		"delete the file":      {apptest.OnPath(memorytool.Delete, "/memories/plan.md"), "line 2 of /memories/plan.md"},
		"delete a whole file":  {apptest.OnPath(memorytool.Delete, "/memories/team/mine.md"), "line 1 of /memories/team/mine.md"},
		"delete the directory": {apptest.OnPath(memorytool.Delete, "/memories/team"), "line 1 of /memories/team/mine.md"},
		"replace a heading":    {apptest.Replace("/memories/team/mine.md", "# Mine", "# Old, does not hold"), "line 1 of /memories/team/mine.md"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := u.Agent.MemoryTool(t.Context(), test.do)
			apptest.WantKind(t, err, app.KindRefused)
			if err.Error() != test.where+refused || app.AsError(err).Hint == "" {
				t.Errorf("it says %v", err)
			}
		})
	}
	u.Do(apptest.Replace("/memories/plan.md", "the agent's last", "the last"))
	u.Do(memorytool.Command{Command: memorytool.Insert, Path: "/memories/plan.md", InsertLine: &top, InsertText: &text})
	u.Do(apptest.Rename("/memories/plan.md", "/memories/week/plan.md"))
	u.Fails(apptest.Replace("/memories/week/plan.md", "never", "always"), app.KindRefused, "line 3 of /memories/week/plan.md"+refused)
	u.Fails(apptest.OnPath(memorytool.Delete, "/memories/week"), app.KindRefused, "line 3 of /memories/week/plan.md"+refused)
	if got := u.Note("week/plan.md"); got != "# Title\nthe agent's first\nnever push on Fridays\nthe last\n" {
		t.Errorf("the file holds %q", got)
	}
	// Once the person took the line out, the file is the agent's again.
	u.Write(".agentflow/memory/notes/week/plan.md", "# Title\nthe agent's first\nthe last\n")
	u.Do(apptest.OnPath(memorytool.Delete, "/memories/week/plan.md"))
	if got := u.Note("team/mine.md"); got != "# Mine\n\nask Ada before a release\n" {
		t.Errorf("the person's file holds %q", got)
	}
}

// TestMemoryToolGivesBackWhatFails checks that a command that a person's line stops does not count as one of the
// session's changes.
func TestMemoryToolGivesBackWhatFails(t *testing.T) {
	u := apptest.NewToolUser(t)
	u.Write(".agentflow/memory/notes/mine.md", "mine\n")
	for range agentlimit.PerSession + 1 {
		u.Fails(apptest.OnPath(memorytool.Delete, "/memories/mine.md"), app.KindRefused, "line 1 of /memories/mine.md stays as it is: a person wrote it")
	}
	u.Do(apptest.Create("/memories/a.txt", "x\n"))
}

// TestMemoryToolShowsNoSecrets checks that a secret that a person wrote into a note is not shown to agents, cannot be
// found by guessing, and lets no other secret in.
func TestMemoryToolShowsNoSecrets(t *testing.T) {
	const mine, other = "ghp_x7Kq2LmN8pRt4VwZ1bYc6DfH3jGs9AeQ5uTo", "ghp_Zz19aB3kQ8mN5pR7sT2vW4xY6cD1eF0gHj5L"
	u := apptest.NewToolUser(t)
	u.Do(apptest.Create("/memories/a.txt", "above\nbelow\n"))
	u.Write(".agentflow/memory/notes/a.txt.md", "above\ntoken "+mine+"\nbelow\n")
	if got := u.Do(apptest.OnPath(memorytool.View, "/memories/a.txt")); strings.Contains(got, mine[4:]) || !strings.Contains(got, "     2\ttoken [redacted") || !strings.Contains(got, "     3\tbelow") {
		t.Errorf("a view shows %q", got)
	}
	if got := u.Do(apptest.Replace("/memories/a.txt", "below", "beneath")); strings.Contains(got, mine[4:]) {
		t.Errorf("a change shows %q", got)
	}
	for _, guess := range []string{mine, mine[:10], mine[10:20]} {
		u.Fails(apptest.Replace("/memories/a.txt", guess, "x"), app.KindRefused, "No replacement was performed, old_str `"+guess+"` did not appear verbatim in /memories/a.txt.")
	}
	u.Fails(apptest.Replace("/memories/a.txt", "above", "token "+other), app.KindRefused, "the text holds what looks like a secret, and is not stored")
	if got := u.Note("a.txt.md"); got != "above\ntoken "+mine+"\nbeneath\n" {
		t.Errorf("the file holds %q", got)
	}
	u.Nowhere(other)
	log, err := os.ReadFile(u.Path(".git/agentflow/log"))
	if err != nil || !strings.Contains(string(log), mine) {
		t.Errorf("the log cannot bring back what a person wrote: %v", err)
	}
}

// TestMemoryToolLeavesNoEmptyFolders checks that a folder is removed with its last file.
func TestMemoryToolLeavesNoEmptyFolders(t *testing.T) {
	u := apptest.NewToolUser(t)
	for i := range 3 {
		u.Do(apptest.Create(fmt.Sprintf("/memories/a/b/c%d/x.txt", i), "x\n"))
	}
	u.Write(".agentflow/memory/notes/a/b/c1/picture.png", "not a note")
	u.Do(apptest.OnPath(memorytool.Delete, "/memories/a/b/c0"))
	u.Do(apptest.OnPath(memorytool.Delete, "/memories/a/b/c1/x.txt"))
	u.Do(apptest.Rename("/memories/a/b/c2", "/memories/d"))
	for folder, stands := range map[string]bool{"a/b/c0": false, "a/b/c1": true, "a/b/c2": false, "d": true, "": true} {
		if u.Exists(".agentflow/memory/notes/"+folder) != stands {
			t.Errorf("%q: want it there %v", folder, stands)
		}
	}
	u.Do(apptest.OnPath(memorytool.Delete, "/memories/d"))
	if !u.Exists(".agentflow/memory/notes") || u.Exists(".agentflow/memory/notes/d") {
		t.Error("the last folder stays, or notes went")
	}
}

// TestMemoryToolSaysWho checks that the files of memory name the agent that wrote a note, with its session, and with
// the run only while the run is active. The names have no likely secrets and fit on one line.
func TestMemoryToolSaysWho(t *testing.T) {
	const secret = "ghp_x7Kq2LmN8pRt4VwZ1bYc6DfH3jGs9AeQ5uTo"
	u := apptest.NewToolUser(t)
	u.Do(apptest.Create("/memories/a.txt", "x\n"))
	u.Agent = agent.NewAgentSession(u.M, fact.Agent{Name: "evil\n" + secret, Session: secret, Run: "01990000-0000-7000-8000-00000000000d"})
	u.Do(apptest.Create("/memories/b.txt", "y\n"))
	u.Do(apptest.Replace("/memories/b.txt", "y", "z"))
	for _, f := range apptest.Must(list.MemoryFiles(t.Context(), u.M))(t).Files {
		if f.Name == "memory/notes/a.txt.md" && (f.Agent != "claude-code" || f.Session != "s1" || f.Run != "") ||
			f.Name == "memory/notes/b.txt.md" && (!strings.HasPrefix(f.Agent, "evil") || strings.Contains(f.Agent, "\n") || f.Run != "") {
			t.Errorf("a file is %+v", f)
		}
	}
	u.Nowhere(secret)
}
