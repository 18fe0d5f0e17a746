package view

import (
	"agentflow/memory/markdown"
	"maps"
	"slices"
)

// moved is a file of a change, with its contents before and after.
type moved struct {
	file          string
	before, after []byte
	at            int64 // mtime of the last file of the change, ns
}

// newIDs returns the ids that the change added to the file.
func (m moved) newIDs() []string {
	was := map[string]bool{}
	for _, id := range markdown.Parse(m.before).IDs() {
		was[id] = true
	}
	return slices.DeleteFunc(markdown.Parse(m.after).IDs(), func(id string) bool { return was[id] })
}

// recentAppends returns when ids were added to their files, by appends and by recent changes.
func (v *View) recentAppends() map[string]int64 {
	all := maps.Clone(v.AppendedAt)
	newest := int64(0)
	for _, m := range v.moves {
		newest = max(newest, m.at)
	}
	for _, m := range v.moves {
		if newest-m.at < int64(StaleSave) {
			for _, id := range m.newIDs() {
				all[id] = max(all[id], m.at)
			}
		}
	}
	return all
}
