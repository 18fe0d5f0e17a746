package proposals

import (
	"testing"
	"time"

	"agentflow/memory"
)

func TestProposalsAreBounded(t *testing.T) {
	now := time.Now()
	p := List{Settled: map[string]time.Time{}}
	for i := range 3000 {
		id := memory.HashID(string(rune(i)))
		p.Add(Proposal{ID: id, At: now})
		p.Accepted = append(p.Accepted, Proposal{ID: "a" + id, At: now})
		p.Settled["s"+id] = now.Add(time.Duration(i) * time.Second)
		p.Hear(id, "session", now)
	}
	p.Waiting[2999].At = now.Add(-2 * WaitingAge)
	p.Tidy(now)
	if len(p.Waiting) != MostWaiting || len(p.Accepted) != MostWaiting || len(p.Settled) != MostSettled || len(p.Heard) != MostHeard || p.Version != Version {
		t.Errorf("%d, %d, %d, %d", len(p.Waiting), len(p.Accepted), len(p.Settled), len(p.Heard))
	}
}

// An accepted proposal waits again once its effect is undone, and only then.
func TestUndone(t *testing.T) {
	for name, c := range map[string]struct {
		kind           Kind
		added, removed []string
		waits          bool
	}{
		"its fact goes":               {FromCorrection, nil, []string{"fact"}, true},
		"its fact comes back":         {FromCorrection, []string{"fact"}, nil, false},
		"another fact goes":           {FromCorrection, nil, []string{"other"}, false},
		"the retired fact comes back": {ForRetirement, []string{"fact"}, nil, true},
		"the retired fact goes":       {ForRetirement, nil, []string{"fact"}, false},
	} {
		p, now := List{Settled: map[string]time.Time{}}, time.Now()
		p.Add(Proposal{ID: "id", Kind: c.kind, Text: "Say please.", At: now})
		if p.Accept("id", "fact", now); len(p.Waiting) != 0 || p.IsNew("id") {
			t.Errorf("%s: it waits after it was accepted", name)
		}
		changed := p.Undone(c.added, c.removed, now)
		if _, settled := p.Settled["id"]; len(p.Waiting) == 1 != c.waits || settled == c.waits || c.waits && !changed {
			t.Errorf("%s: %+v, changed %v", name, p, changed)
		}
		if c.waits && (p.Waiting[0].Text != "Say please." || c.kind == FromCorrection && p.Waiting[0].Fact != "") {
			t.Errorf("%s: %+v waits", name, p.Waiting[0])
		}
	}
}
