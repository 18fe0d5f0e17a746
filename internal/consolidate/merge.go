package consolidate

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// merge unites facts of one namespace that hold and say the same, and those of Input.Merges.
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

// byKey splits facts by key. If there is only one key, facts without a key join it.
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

// preferred returns the fact that stays of several. It prefers a pinned one, then one that no
// agent stored through a tool, then one in MEMORY.md, in a person's text or said by hand, and
// then the one said first.
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

func earlier(a, b *fact) int {
	return cmp.Or(a.firstSaid().Compare(b.firstSaid()), strings.Compare(a.ID, b.ID))
}

// absorb takes over the fields of another fact that says the same, and removes that fact. From
// a fact that an agent stored through a tool, a fact of another source takes over only the
// origin.
func (f *fact) absorb(other *fact) {
	if f.merged == nil { // from now on Merged belongs to the plan
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

// bothPaths returns the patterns of the files that either of two facts is about. No pattern
// means all files.
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

// mergeProposed applies one of Input.Merges, if its facts still hold. Facts that agents stored
// through tools are merged only with each other: their wording must not replace that of another
// author.
func (p *plan) mergeProposed(m Merge) {
	var group []*fact
	for _, f := range p.facts {
		if i := slices.Index(m.IDs, f.ID); i >= 0 && m.Texts != nil && f.Text != m.Texts[i] {
			return
		}
		if slices.Contains(m.IDs, f.ID) && f.remains() && f.Live(p.Now) && (len(group) == 0 || group[0].Namespace == f.Namespace) {
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

// mixed reports whether agents stored some of the facts, but not all, through tools.
func mixed(list []*fact) bool {
	return slices.ContainsFunc(list, func(f *fact) bool { return f.byTool != list[0].byTool })
}
