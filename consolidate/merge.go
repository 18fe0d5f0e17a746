package consolidate

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// merge makes one of the facts that hold and say the same in one namespace,
// and of those that somebody else found to.
func (p *plan) merge() {
	for _, m := range p.Merges {
		p.mergeProposed(m)
	}
	order, groups := grouped(p.live(), func(f *fact) within { return within{f.Namespace, f.form} })
	for _, at := range order {
		for _, group := range byKey(groups[at]) {
			if p.entry == "" || slices.ContainsFunc(group, func(f *fact) bool { return f.in != nil && f.in.ID == p.entry }) {
				p.unite(group, "it says the same")
			}
		}
	}
}

// byKey parts facts that are about different things: those without a key go
// with the only key there is.
func byKey(list []*fact) [][]*fact {
	keys := map[string][]*fact{}
	for _, f := range list {
		keys[f.Key] = append(keys[f.Key], f)
	}
	if len(keys) == 2 && keys[""] != nil {
		return [][]*fact{list}
	}
	var out [][]*fact
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		out = append(out, keys[key])
	}
	return out
}

func (p *plan) unite(group []*fact, reason string) {
	if len(group) < 2 || !slices.ContainsFunc(group, func(f *fact) bool { return !f.old }) {
		return
	}
	stays := preferred(group)
	for _, f := range slices.SortedStableFunc(slices.Values(group), earlier) {
		if f != stays {
			stays.absorb(f)
			p.act(Merged, f, reason).Into = stays.ID
		}
	}
}

// preferred is the fact that stays of several: a pinned one, else one that no
// agent stored through a tool, else one that stands in MEMORY.md, in a person's text, or was said by hand, else the one
// said first.
func preferred(list []*fact) *fact {
	return slices.MinFunc(list, func(a, b *fact) int {
		return cmp.Or(
			first(a.pinned(), b.pinned()),
			first(!a.byTool, !b.byTool),
			first(a.file == memory.LastingFile, b.file == memory.LastingFile),
			first(a.in == nil && a.file != memory.FadedFile, b.in == nil && b.file != memory.FadedFile),
			first(a.source() == memory.ByHand, b.source() == memory.ByHand),
			earlier(a, b),
		)
	})
}

func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func earlier(a, b *fact) int {
	return cmp.Or(a.firstSaid().Compare(b.firstSaid()), strings.Compare(a.ID, b.ID))
}

// absorb takes over the fields of another fact that says the same, which then
// goes. Of what an agent stored through a tool, a fact that comes from elsewhere
// takes over nothing but where it came from.
func (f *fact) absorb(other *fact) {
	if f.merged == nil { // from here on Merged is the plan's own
		f.merged, f.Merged = map[string]bool{}, slices.Clone(f.Merged)
		for _, id := range f.IDs() {
			f.merged[id] = true
		}
	}
	for _, o := range append([]memory.Origin{other.origin()}, other.Merged...) {
		if o.ID != "" && !f.merged[o.ID] {
			f.merged[o.ID] = true
			f.Merged = append(f.Merged, o)
		}
	}
	f.change()
	other.revision = markdown.Goes
	if other.byTool && !f.byTool {
		return
	}
	f.Importance = max(f.Importance, other.Importance)
	f.Confidence = max(f.Confidence, other.Confidence)
	f.Tags = slices.Clone(f.Tags)
	for _, t := range other.Tags {
		if !slices.Contains(f.Tags, t) {
			f.Tags = append(f.Tags, t)
		}
	}
	f.Paths = bothPaths(f.Scope(nil), other.Scope(nil))
	f.Type = cmp.Or(f.Type, other.Type)
	f.Category = cmp.Or(f.Category, other.Category)
	f.Key = cmp.Or(f.Key, other.Key)
	f.Reason = cmp.Or(f.Reason, other.Reason)
	f.Supersedes = cmp.Or(f.Supersedes, other.Supersedes)
	f.Commit = cmp.Or(f.Commit, other.Commit)
	if other.Expires.IsZero() || !f.Expires.IsZero() && other.Expires.After(f.Expires) {
		f.Expires = other.Expires
	}
	if other.Updated.After(f.Updated) {
		f.Updated = other.Updated
	}
}

// bothPaths are the patterns of the files that either of two facts is about; none: all.
func bothPaths(a, b []string) []string {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	both := slices.Clone(a)
	for _, p := range b {
		if !slices.Contains(both, p) {
			both = append(both, p)
		}
	}
	return both
}

// mergeProposed makes a merge that somebody else found, as far as its facts still
// hold. What agents stored through tools is merged with its like alone: in other
// words it says nothing in anybody else's name.
func (p *plan) mergeProposed(m Merge) {
	var group []*fact
	for _, f := range p.facts {
		if i := slices.Index(m.IDs, f.ID); i >= 0 && m.Texts != nil && f.Text != m.Texts[i] {
			return
		}
		if slices.Contains(m.IDs, f.ID) && f.stands() && f.Live(p.Now) && (len(group) == 0 || group[0].Namespace == f.Namespace) {
			group = append(group, f)
		}
	}
	if len(group) < 2 || mixed(group) {
		return
	}
	stays := preferred(group)
	p.unite(group, "it was found to say the same")
	if m.Text != "" && m.Text != stays.Text {
		if stays.byTool {
			stays.Said = memory.SaidOf(m.Text)
		}
		stays.Text, stays.form, stays.Updated = m.Text, memory.Same(m.Text), p.Now
		stays.change()
	}
}

// mixed says whether agents stored some of the facts through tools, and others
// come from elsewhere.
func mixed(list []*fact) bool {
	return slices.ContainsFunc(list, func(f *fact) bool { return f.byTool != list[0].byTool })
}
