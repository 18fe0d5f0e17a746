package consolidate

import (
	"cmp"
	"strings"
	"time"
)

// lasting keeps a fact of importance 1 in MEMORY.md if it is not said again. A fact
// of importance 0.8 stays a year.
const lasting = 450 * 24 * time.Hour

// timeLeft returns how much longer the fact may stay in MEMORY.md. If it is 0 or less, the fact
// may not. It does not depend on the fact's place, so a fact that is moved once is not moved
// back.
func (p *plan) timeLeft(f *fact) time.Duration {
	if !f.Live(p.Now) {
		return -lasting - f.age(p.Now)
	}
	weight := f.weight()
	if p.often(f) {
		weight = max(weight, p.PromoteImportance)
	}
	return time.Duration(weight*float64(lasting)) - f.age(p.Now)
}

// often reports whether enough runs said the fact in their own words. For a fact from an agent,
// one run is never enough.
func (p *plan) often(f *fact) bool {
	least := p.PromoteRuns
	if f.byAgent {
		least = max(least, 2)
	}
	return p.PromoteRuns > 0 && f.runs() >= least
}

// important reports whether the fact's importance by itself earns a place in MEMORY.md. It is false
// for a fact from an agent, because a page that the agent read may have set the importance.
func (p *plan) important(f *fact) bool {
	return p.PromoteImportance > 0 && f.Importance >= p.PromoteImportance && !f.byAgent
}

// rank orders facts by time left, most first.
func (p *plan) rank(a, b *fact) int {
	return cmp.Or(cmp.Compare(p.timeLeft(b), p.timeLeft(a)), strings.Compare(a.ID, b.ID))
}
