package consolidate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/memory/markdown"
)

// supersede strikes facts that another one replaces: first those that a newer fact names, then
// all values of a key except the newest, then those of Input.Strikes.
func (p *plan) supersede() {
	byID := map[string]*fact{}
	var live []*fact
	for _, f := range p.facts {
		for _, id := range f.IDs() {
			byID[id] = f
		}
		if f.remains() && f.Live(p.Now) {
			live = append(live, f)
		}
	}
	slices.SortStableFunc(live, newest)
	for _, f := range live {
		old := byID[f.Supersedes]
		if f.Struck || old == nil || old == f || !old.remains() || !old.Live(p.Now) || old.Namespace != f.Namespace {
			continue
		}
		p.strike(old, f, "it names the fact that it replaces")
	}
	p.values(live)
	p.strikeProposed(byID)
}

// values strikes the older of two values of one key. If an agent stored the newer one through a
// tool and may not strike the older fact, the older one is compared with the newest value from
// another source.
func (p *plan) values(live []*fact) {
	type key struct{ namespace, key string }
	newest, others := map[key]*fact{}, map[key]*fact{} // others: not stored through tools
	for _, f := range live {                           // newest first
		if f.Key == "" || f.Struck {
			continue
		}
		at := key{f.Namespace, f.Key}
		by := newest[at]
		if by != nil && by.byTool && others[at] != nil && f.closed {
			by = others[at]
		}
		if by != nil {
			p.strike(f, by, fmt.Sprintf("a newer value of the key %s", f.Key))
		}
		if by == nil {
			newest[at] = f
		}
		if others[at] == nil && !f.Struck && !f.byTool {
			others[at] = f
		}
	}
}

// newest orders facts by when they were last said, newest first.
func newest(a, b *fact) int {
	return cmp.Or(b.lastSaid().Compare(a.lastSaid()), strings.Compare(b.ID, a.ID))
}

func (p *plan) strike(old, by *fact, reason string) {
	if old.old && by.old {
		return
	}
	if by.byTool && old.closed {
		p.suspect(Contradiction, "an agent stored the newer one, which strikes nothing that a person or MEMORY.md says: "+reason, old, by)
		return
	}
	if old.pinned() {
		p.suspect(Contradiction, "the older one is pinned, so it is not struck: "+reason, old, by)
		return
	}
	if by.byAgent && old.owned().ByPerson() {
		p.suspect(Contradiction, "an agent said the newer one, which strikes nothing that a person says: "+reason, old, by)
		return
	}
	if by.Has(old.SupersededBy) {
		p.suspect(Contradiction, "a person took the strike off the older one: "+reason, old, by)
		return
	}
	old.Struck, old.SupersededBy = true, by.ID
	old.change()
	p.act(Struck, old, reason).Into = by.ID
}

// strikeProposed applies Input.Strikes, if both facts still hold. It never strikes a fact that
// a person wrote.
func (p *plan) strikeProposed(byID map[string]*fact) {
	for _, s := range p.Strikes {
		by, old := byID[s.Keep], byID[s.Strike]
		if by == nil || old == nil || by == old || by.Namespace != old.Namespace || s.Texts != [2]string{by.Text, old.Text} || old.owned().ByPerson() {
			continue
		}
		if by.remains() && old.remains() && by.Live(p.Now) && old.Live(p.Now) {
			p.strike(old, by, "it was found to be replaced")
		}
	}
}

// retain retires the facts that the options exclude: in each namespace those that were not said
// for too long, that are too unimportant, and that exceed the number. Facts that no longer hold
// are retired before those that do. Pinned facts stay.
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
		case !f.remains():
			return true
		case f.pinned():
			return false
		case p.MaxAge > 0 && f.age(p.Now) > p.MaxAge:
			p.retire(f, "last said "+f.lastSaid().Format(time.DateOnly))
		case f.weight() < p.MinImportance:
			p.retire(f, fmt.Sprintf("its importance is %g", f.weight()))
		}
		return !f.remains()
	})
	if p.MaxFacts == 0 || len(stay) <= p.MaxFacts {
		return
	}
	surplus := len(stay) - p.MaxFacts
	slices.SortFunc(stay, func(a, b *fact) int { // facts that agents stored are retired first
		return cmp.Or(first(!a.byTool, !b.byTool), p.ranking.compare(a, b))
	})
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
