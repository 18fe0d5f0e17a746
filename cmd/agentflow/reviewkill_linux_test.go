package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app/api"
)

// waits puts proposals on the list, as runs do, and returns their ids.
func (l *lab) waits(texts ...string) (ids []string) {
	l.T.Helper()
	for _, text := range texts {
		l.Agentflow("run", "-q", "--agent", "command", "Say hello. "+text, "--", "true")
	}
	for _, p := range l.review() {
		ids = append(ids, p.ID)
	}
	if len(ids) != len(texts) {
		l.T.Fatalf("%d proposals wait, want %d", len(ids), len(texts))
	}
	return ids
}

// review lists the waiting proposals.
func (l *lab) review() []api.Proposal {
	l.T.Helper()
	var r api.Review
	if err := json.Unmarshal([]byte(l.Agentflow("review", "--json")), &r); err != nil {
		l.T.Fatal(err)
	}
	return r.Proposals
}

// If the process that drops or accepts a proposal is killed, the proposal waits, or is settled
// with its fact in memory. The others wait.
func TestKilledReview(t *testing.T) {
	kills := number(t, "AGENTFLOW_COMMAND_KILLS", 8)
	random := rand.New(rand.NewPCG(seed(t), 5))
	l := newLab(t, "")
	ids := l.waits("We never deploy on Fridays.", "We never mock the database.")
	for _, verb := range []string{"accept", "drop"} {
		whole := l.copied(filepath.Join(t.TempDir(), verb))
		start := time.Now()
		whole.Agentflow("review", verb, ids[0])
		took := time.Since(start) * 5 / 4
		seen := map[bool]int{}
		for i := range kills {
			round := l.copied(filepath.Join(t.TempDir(), fmt.Sprint(verb, i)))
			round.killed(upTo(random, took), "review", verb, ids[0])
			list := round.review()
			waits := slices.ContainsFunc(list, func(p api.Proposal) bool { return p.ID == ids[0] })
			facts := strings.Count(round.Agentflow("memory", "list"), "We never mock the database.")
			if !slices.ContainsFunc(list, func(p api.Proposal) bool { return p.ID == ids[1] }) || facts > 1 || verb == "accept" && !waits && facts != 1 || verb == "drop" && facts != 0 {
				t.Errorf("%s, round %d: %d facts, and %+v waits", verb, i, facts, list)
			}
			if waits {
				round.Agentflow("review", verb, ids[0])
			}
			if list := round.review(); len(list) != 1 {
				t.Errorf("%s, round %d, again: %+v", verb, i, list)
			}
			seen[waits]++
			round.Remove("")
		}
		t.Logf("%s takes %v; it waits: %v", verb, took.Round(time.Millisecond), seen)
	}
}

// Processes that settle and note proposals at once lose nothing of each other's.
func TestReviewsAtOnce(t *testing.T) {
	l := newLab(t, "")
	ids := l.waits("We never deploy on Fridays.", "We never mock the database.", "We never squash a merge.", "We never abbreviate a name.")
	var all []*exec.Cmd
	for i, id := range ids {
		all = append(all, l.Command("review", []string{"drop", "accept"}[i%2], id))
	}
	for _, text := range []string{"We never vendor a module.", "We never log a body."} {
		all = append(all, l.Command("run", "-q", "--agent", "command", "Say hello. "+text, "--", "true"))
	}
	for _, cmd := range all {
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%q: %v", cmd.Args, err)
		}
	}
	var texts []string
	for _, p := range l.review() {
		texts = append(texts, p.Text)
	}
	slices.Sort(texts)
	if got := strings.Join(texts, " "); got != "We never log a body. We never vendor a module." {
		t.Errorf("%q wait", got)
	}
	if facts := strings.Count(l.Agentflow("memory", "list"), "We never"); facts != 2 {
		t.Errorf("%d facts are accepted", facts)
	}
}
