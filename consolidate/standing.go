package consolidate

import (
	"cmp"
	"strings"
	"time"

	"agentflow/memory"
)

// lasting is how long a fact of importance 1 that nobody says again stays in
// MEMORY.md; one of 0.8 stays a year.
const lasting = 450 * 24 * time.Hour

// weight is how important a fact is, 0 to 1.
func (f *fact) weight() float64 {
	if f.Importance == 0 {
		return memory.PlainImportance
	}
	return f.Importance
}

// age is how long ago the fact was last said; 0 where nobody knows.
func (f *fact) age(now time.Time) time.Duration {
	said := f.said()
	if said.IsZero() || said.After(now) {
		return 0
	}
	return now.Sub(said)
}

// remains is how much longer the fact deserves its place in MEMORY.md: none when
// it is 0 or less. It does not depend on where the fact stands, so that what
// is moved once is not moved back.
func (p *plan) remains(f *fact) time.Duration {
	if !f.Live(p.Now) {
		return -lasting - f.age(p.Now)
	}
	weight := f.weight()
	if p.often(f) {
		weight = max(weight, p.PromoteImportance)
	}
	return time.Duration(weight*float64(lasting)) - f.age(p.Now)
}

// often says whether enough runs said the fact in their own words.
func (p *plan) often(f *fact) bool { return p.PromoteRuns > 0 && f.runs() >= p.PromoteRuns }

// important says whether the fact is worth a place in MEMORY.md by itself.
func (p *plan) important(f *fact) bool {
	return p.PromoteImportance > 0 && f.Importance >= p.PromoteImportance
}

// rank orders facts from the one with the most time left to that with the
// least.
func (p *plan) rank(a, b *fact) int {
	return cmp.Or(cmp.Compare(p.remains(b), p.remains(a)), strings.Compare(a.ID, b.ID))
}
