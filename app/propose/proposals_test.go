package propose_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentflow/app/agent"
	"agentflow/app/fact"
	"agentflow/app/forget"
	"agentflow/app/propose"
	"agentflow/internal/propose/proposals"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
)

// The next change sets a damaged file of proposals aside. Until then the damage is reported, and the facts of agents
// are listed.
func TestDamagedProposals(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	apptest.Stored(t, agent.NewAgentSession(m, fact.Agent{Name: "robot"}), fact.Change{Text: new("The parser is recursive.")})
	noted(t, m, correction("We never deploy on Fridays."))
	whole, err := os.ReadFile(p.ProposalsFile())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"empty": "", "half": string(whole[:len(whole)/2]), "zeros": strings.Repeat("\x00", len(whole)), "null": "null", "a list": "[]",
		"no version": `{"waiting": []}`, "a wrong type": `{"version": 1, "waiting": "none"}`, "huge": string(whole) + strings.Repeat(" ", propose.MaxProposals),
	} {
		if err := os.WriteFile(p.ProposalsFile(), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		res, err := propose.Review(t.Context(), m, propose.ReviewRequest{})
		if err != nil || len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0], "proposals.json.damaged") || len(res.Review.Proposals) != 1 {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
		noted(t, m, correction("Say please."))
		if list := waiting(t, m); len(list) != 2 || list[0].Text != "Say please." {
			t.Errorf("%s: then %+v", name, list)
		}
		if aside, err := os.ReadFile(p.ProposalsFile() + ".damaged"); err != nil || string(aside) != content {
			t.Errorf("%s: set aside %q, %v", name, aside, err)
		}
	}
	const odd = `{"version": 1, "waiting": [{}, {"id": "x"}, {"id": "y", "text": "Say thanks."}, {"id": "z", "text": "The **** is dark."}, {"id": "z", "text": "The ***** is dark."}], "settled": null, "heard": [{}]}`
	p.Write(".git/agentflow/proposals.json", odd)
	noted(t, m, correction("Say please."))
	if list := waiting(t, m); len(list) != 2 || list[0].Text != "Say please." {
		t.Errorf("of odd proposals: %+v", list)
	}
}

// A file of a newer program, and anything but a regular file, stay as they are.
func TestProposalsOfOthers(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	apptest.Remembered(t, m, "Use tabs.")
	file, elsewhere := p.ProposalsFile(), filepath.Join(t.TempDir(), "elsewhere")
	for name, c := range map[string]struct {
		make func() error
		says string
	}{
		"a newer version": {func() error { return os.WriteFile(file, []byte(`{"version": 2, "waiting": [{"new": true}]}`), 0o600) }, "update agentflow"},
		"a folder":        {func() error { return os.Mkdir(file, 0o700) }, "proposals.json"},
		"a link": {func() error {
			return errors.Join(os.WriteFile(elsewhere, []byte("{"), 0o600), os.Symlink(elsewhere, file))
		}, "proposals.json"},
	} {
		if err := errors.Join(os.RemoveAll(file), c.make()); err != nil {
			t.Fatal(err)
		}
		before, err := os.Lstat(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := propose.Review(t.Context(), m, propose.ReviewRequest{}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		s, err := m.Begin(t.Context()).OpenToWrite(t.Context())
		if err == nil {
			err = propose.ChangeProposals(t.Context(), s, time.Now(), func(p *proposals.List) bool { return p.Add(correction("Say please.")) })
		}
		if after, gone := os.Lstat(file); err == nil || gone != nil || !os.SameFile(before, after) || before.Size() != after.Size() {
			t.Errorf("%s is changed: %v, %v", name, err, gone)
		}
	}
}

// The file can be read even if the proposed texts are very long.
func TestLongProposals(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	long := strings.Repeat("\x01<é", 50_000)
	var list []proposals.Proposal
	for i := range 2 * proposals.MostWaiting {
		id := memory.HashID(fmt.Sprint(i))
		list = append(list, proposals.Proposal{ID: id, Kind: propose.ForRetirement, Text: long, Sentence: long, Refused: long, Reason: long, Fact: id, At: time.Now()})
	}
	noted(t, m, list...)
	noted(t, m, correction("Say please."))
	data, err := os.ReadFile(p.ProposalsFile())
	if kept := strings.Count(string(data), `"kind"`); err != nil || len(data) > propose.MaxProposals || kept != proposals.MostWaiting {
		t.Errorf("%d proposals in %d bytes, %v", kept, len(data), err)
	}
	if list := waiting(t, m); len(list) != 1 { // the others are to retire facts that do not exist
		t.Errorf("%d proposals", len(list))
	}
}

// A purge reaches texts that JSON escapes, and leaves the others.
func TestPurgeOfOddProposals(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	const secret = `Say "okapi" & <tab> in C:\Müller\new for the "zebra".`
	id := apptest.Remembered(t, m, secret)
	noted(t, m, correction("Say please."), correction(secret))
	plan, err := forget.PlanForget(t.Context(), m, forget.Request{IDs: []string{id}, Purge: true})
	if err == nil {
		_, err = forget.ApplyForget(t.Context(), m, plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(p.ProposalsFile())
	if err != nil || strings.Contains(string(data), "okapi") || strings.Contains(string(data), "zebra") {
		t.Errorf("%s, %v", data, err)
	}
	if list := waiting(t, m); len(list) != 1 || list[0].Text != "Say please." {
		t.Errorf("%+v", list)
	}
}

// A purge waits for a process that has read the proposals and writes them.
func TestPurgeWaitsForProposals(t *testing.T) { synctest.Test(t, testPurgeWaitsForProposals) }

func testPurgeWaitsForProposals(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	const secret = "The staging password of the okapi is Tuesday."
	id := apptest.Remembered(t, m, secret)
	noted(t, m, correction(secret))
	plan, err := forget.PlanForget(t.Context(), m, forget.Request{IDs: []string{id}, Purge: true})
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Begin(t.Context()).OpenToWrite(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	purged := make(chan error, 1)
	err = propose.ChangeProposals(t.Context(), s, time.Now(), func(all *proposals.List) bool {
		go func() {
			_, err := forget.ApplyForget(t.Context(), m, plan)
			purged <- err
		}()
		select {
		case err := <-purged:
			t.Error("the purge did not wait")
			purged <- err
		case <-time.After(time.Second): // of a fake clock, which moves once the purge waits
		}
		return all.Add(correction("Say please."))
	})
	if err := errors.Join(err, <-purged); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(p.ProposalsFile())
	if err != nil || strings.Contains(string(data), "okapi") || !strings.Contains(string(data), "Say please.") {
		t.Errorf("%s, %v", data, err)
	}
}
