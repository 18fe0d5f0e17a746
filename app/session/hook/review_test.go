package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app/api"
	"agentflow/app/propose"
	. "agentflow/internal/testing/sessiontest"
)

// reviewed returns the proposals that wait for a person.
func (l *lab) reviewed() []api.Proposal {
	l.T.Helper()
	m, err := l.open(l.Repo)
	if err != nil {
		l.T.Fatal(err)
	}
	defer m.Close()
	res, err := propose.Review(l.T.Context(), m, propose.ReviewRequest{})
	if err != nil || len(res.Degraded) > 0 {
		l.T.Fatal(res.Degraded, err)
	}
	return res.Review.Proposals
}

// decide accepts or drops proposals.
func (l *lab) decide(accept bool, ids ...string) (done []api.Reviewed) {
	l.T.Helper()
	m, err := l.open(l.Repo)
	if err != nil {
		l.T.Fatal(err)
	}
	defer m.Close()
	res, err := propose.AcceptResult{}, error(nil)
	if accept {
		res, err = propose.AcceptProposals(l.T.Context(), m, propose.AcceptRequest{IDs: ids})
	} else {
		res, err = propose.DropProposals(l.T.Context(), m, ids)
	}
	if err != nil || len(res.Degraded) > 0 {
		l.T.Fatal(res.Degraded, err)
	}
	return res.Reviewed
}

func texts(list []api.Proposal) string {
	var all []string
	for _, p := range list {
		all = append(all, p.Kind+": "+p.Text)
	}
	return strings.Join(all, " | ")
}

// A correction that a person types is proposed once, and words of the agent never are.
func TestCorrectionsAreProposed(t *testing.T) {
	l := newLab(t)
	l.Settings("[session]\ndeadline = \"10s\"\n")
	p := l.player()
	p.Start("startup")
	p.Turn("Add a parser", Write("parse.go", "package a\n"), Say("Always use tabs. We never commit to main."))
	_, message := p.Turn("No, we never put parsers in the root. Move it.", Say("I moved it."))
	if message != "" {
		t.Errorf("before anything waits: %q", message)
	}
	_, message = p.Turn("now always use the token hunter2hunter2 here", Say("Done."))
	if !strings.HasSuffix(message, "1 proposal waits: agentflow review") {
		t.Errorf("the line says %q", message)
	}
	if context, message := p.Turn("Is that all? password=hunter2hunter2", Say("Yes.")); strings.Contains(message+context, "proposal") {
		t.Errorf("a second line the same day: %q, %q", message, context)
	}
	p.End("other")
	list := l.reviewed()
	if texts(list) != "correction: We never put parsers in the root." {
		t.Fatalf("%+v", list)
	}
	if c := list[0]; c.Sentence != "No, we never put parsers in the root." || c.Session != p.ID || c.Agent != "claude" || c.Turn != 2 || c.Entry != l.entries()[0].ID {
		t.Errorf("%+v", c)
	}
	data, err := os.ReadFile(filepath.Join(l.Repo, ".git", "agentflow", "proposals.json"))
	if err != nil || strings.Contains(string(data), "hunter2") || strings.Contains(string(data), "tabs") {
		t.Errorf("%s, %v", data, err)
	}

	done := l.decide(true, list[0].ID)
	if len(done) != 1 || done[0].Fact == "" || len(l.reviewed()) != 0 {
		t.Fatalf("%+v, then %+v", done, l.reviewed())
	}
	p = l.player()
	if begins := p.Start("startup"); !strings.Contains(begins, "We never put parsers in the root.") {
		t.Errorf("an accepted fact is not standing:\n%s", begins)
	}
	p.Turn("No, we never put parsers in the root!", Say("Sorry."))
	p.Turn("we never put a parser into the root folder", Say("Sorry."))
	p.End("other")
	if list := l.reviewed(); len(list) != 0 {
		t.Errorf("a known fact is proposed: %+v", list)
	}
}

// Proposals that a person drops are not proposed again.
func TestDroppedProposals(t *testing.T) {
	l := newLab(t)
	for range 2 {
		p := l.player()
		p.Start("startup")
		p.Turn("don't use npm, use pnpm", Write("a", "x\n"), Say("Done. <save_memory>The lock file is generated.</save_memory>"))
		p.End("other")
		list := l.reviewed()
		if texts(list) == "agent: The lock file is generated." {
			return
		}
		if texts(list) != "correction: Don't use npm, use pnpm | agent: The lock file is generated." {
			t.Fatalf("%+v", list)
		}
		l.decide(false, list[0].ID)
	}
	t.Errorf("it comes back: %+v", l.reviewed())
}

// An instruction that three sessions are given is proposed, and the words with which a
// person refuses an action are.
func TestRepeatedInstructionsAndRefusals(t *testing.T) {
	l := newLab(t)
	for n := range 3 {
		p := l.player()
		p.Start("startup")
		p.Turn("Run make generate and then the linter.", Write("a", strings.Repeat("x", n)), Say("Done."))
		if n == 2 {
			p.Turn("install it", Denied("Bash", map[string]any{"command": "npm install left-pad"}))
			p.Turn("use pnpm", Say("I do."))
		}
		p.End("other")
		if list := l.reviewed(); n < 2 && len(list) > 0 {
			t.Errorf("after %d sessions: %+v", n+1, list)
		}
	}
	list := l.reviewed()
	if texts(list) != "correction: Use pnpm | repeated: Run make generate and then the linter." || !strings.Contains(list[0].Refused, "npm install left-pad") {
		t.Errorf("%+v", list)
	}
}
