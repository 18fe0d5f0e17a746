package consolidate

import (
	"fmt"
	"slices"
	"time"

	"agentflow/memory/markdown"
)

// retain takes out of memory what the user wants no longer: in each namespace
// the facts that nobody said for too long, that are too unimportant, and that
// are too many. What holds no longer goes before what does, and what is
// pinned stays.
func (p *plan) retain() {
	if p.MaxFacts == 0 && p.MaxAge == 0 && p.MinImportance == 0 {
		return
	}
	namespaces := map[string][]*fact{}
	var order []string
	for _, f := range p.facts {
		if !f.stands() {
			continue
		}
		if namespaces[f.Namespace] == nil {
			order = append(order, f.Namespace)
		}
		namespaces[f.Namespace] = append(namespaces[f.Namespace], f)
	}
	slices.Sort(order)
	for _, namespace := range order {
		p.retainIn(namespaces[namespace])
	}
}

func (p *plan) retainIn(list []*fact) {
	kept := slices.DeleteFunc(list, func(f *fact) bool {
		switch {
		case f.pinned():
			return false
		case p.MaxAge > 0 && f.age(p.Now) > p.MaxAge:
			p.retire(f, "last said "+f.said().Format(time.DateOnly))
		case f.weight() < p.MinImportance:
			p.retire(f, fmt.Sprintf("its importance is %g", f.weight()))
		}
		return !f.stands()
	})
	if p.MaxFacts == 0 || len(kept) <= p.MaxFacts {
		return
	}
	surplus := len(kept) - p.MaxFacts
	slices.SortFunc(kept, p.rank)
	for _, f := range slices.Backward(kept) {
		if surplus > 0 && !f.pinned() {
			p.retire(f, fmt.Sprintf("memory keeps %d in a namespace", p.MaxFacts))
			surplus--
		}
	}
}

func (p *plan) retire(f *fact, reason string) {
	f.fate = markdown.Goes
	p.retired = append(p.retired, f.IDs()...)
	p.does(Retired, f, reason)
}
