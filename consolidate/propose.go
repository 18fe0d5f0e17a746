package consolidate

import "slices"

// propose makes a merge that somebody else found, as far as its facts still
// hold.
func (p *plan) propose(m Merge) {
	var group []*fact
	for _, f := range p.facts {
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
		stays.Text, stays.form, stays.Updated = m.Text, normal(m.Text), p.Now
		stays.change()
	}
}
