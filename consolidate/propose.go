package consolidate

import "slices"

// propose makes a merge that somebody else found, as far as its facts still
// hold.
func (p *plan) propose(m Merge) {
	var group []*fact
	for _, f := range p.facts {
		if i := slices.Index(m.IDs, f.ID); i >= 0 && m.Said != nil && f.Text != m.Said[i] {
			return
		}
		if slices.Contains(m.IDs, f.ID) && f.stands() && f.Live(p.Now) && (len(group) == 0 || group[0].Namespace == f.Namespace) {
			group = append(group, f)
		}
	}
	if len(group) < 2 {
		return
	}
	stays := preferred(group)
	p.unite(group, "it was found to say the same")
	if m.Text != "" && m.Text != stays.Text {
		stays.Text, stays.form, stays.Updated = m.Text, Same(m.Text), p.Now
		stays.change()
	}
}

// refute strikes what somebody else found to be replaced, as far as both
// still hold.
func (p *plan) refute(byID map[string]*fact) {
	for _, s := range p.Strikes {
		by, old := byID[s.Keep], byID[s.Strike]
		if by == nil || old == nil || by == old || by.Namespace != old.Namespace || s.Said != [2]string{by.Text, old.Text} {
			continue
		}
		if by.stands() && old.stands() && by.Live(p.Now) && old.Live(p.Now) {
			p.strike(old, by, "it was found to be replaced")
		}
	}
}
