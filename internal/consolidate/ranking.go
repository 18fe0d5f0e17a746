package consolidate

import (
	"cmp"
	"strings"
	"time"
)

// lasting keeps a fact of importance 1 in MEMORY.md if it is not said again. A fact
// of importance 0.8 stays a year.
const lasting = 450 * 24 * time.Hour

// ranking decides how long facts may stay in MEMORY.md, and which of them go first.
type ranking struct {
	now time.Time
	Options
}

// timeLeft returns how much longer the fact may stay in MEMORY.md. If it is 0 or less, the fact
// may not. It does not depend on the fact's place, so a fact that is moved once is not moved
// back.
func (r ranking) timeLeft(f *fact) time.Duration {
	if !f.Live(r.now) {
		return -lasting - f.age(r.now)
	}
	weight := f.weight()
	if r.often(f) {
		weight = max(weight, r.PromoteImportance)
	}
	return time.Duration(weight*float64(lasting)) - f.age(r.now)
}

// often reports whether enough runs said the fact in their own words. For a fact from an agent,
// one run is never enough.
func (r ranking) often(f *fact) bool {
	least := r.PromoteRuns
	if f.byAgent {
		least = max(least, 2)
	}
	return r.PromoteRuns > 0 && f.runs() >= least
}

// important reports whether the fact's importance by itself earns a place in MEMORY.md. It is false
// for a fact from an agent, because a page that the agent read may have set the importance.
func (r ranking) important(f *fact) bool {
	return r.PromoteImportance > 0 && f.Importance >= r.PromoteImportance && !f.byAgent
}

// compare orders facts by time left, most first.
func (r ranking) compare(a, b *fact) int {
	return cmp.Or(cmp.Compare(r.timeLeft(b), r.timeLeft(a)), strings.Compare(a.ID, b.ID))
}
