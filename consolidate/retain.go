package consolidate

import (
	"fmt"
	"slices"
	"time"

	"agentflow/memory/markdown"
)

// retain takes out of memory what the user wants no longer: in each namespace
// the facts that nobody said for too long, that are too unimportant, and that
// are too many. Facts that hold no longer go before facts that do, and
// pinned ones stay.
func (p *plan) retain() {
	if p.MaxFacts == 0 && p.MaxAge == 0 && p.MinImportance == 0 {
		return
	}
	order, namespaces := grouped(p.facts, func(f *fact) string { return f.Namespace })
	slices.Sort(order)
	for _, namespace := range order {
		p.retainIn(namespaces[namespace])
	}
}

func (p *plan) retainIn(list []*fact) {
	stay := slices.DeleteFunc(list, func(f *fact) bool {
		switch {
		case !f.stands():
			return true
		case f.pinned():
			return false
		case p.MaxAge > 0 && f.age(p.Now) > p.MaxAge:
			p.retire(f, "last said "+f.lastSaid().Format(time.DateOnly))
		case f.weight() < p.MinImportance:
			p.retire(f, fmt.Sprintf("its importance is %g", f.weight()))
		}
		return !f.stands()
	})
	if p.MaxFacts == 0 || len(stay) <= p.MaxFacts {
		return
	}
	surplus := len(stay) - p.MaxFacts
	slices.SortFunc(stay, p.rank)
	for _, f := range slices.Backward(stay) {
		if surplus > 0 && !f.pinned() {
			p.retire(f, fmt.Sprintf("memory keeps %d in a namespace", p.MaxFacts))
			surplus--
		}
	}
}

func (p *plan) retire(f *fact, reason string) {
	f.revision = markdown.Goes
	p.retired = append(p.retired, f.IDs()...)
	p.act(Retired, f, reason)
}
