package attribution

import (
	"maps"
	"slices"

	"agentflow/gitwatch/toolcalls"
)

// replayed fills in the texts that the calls' file tools found and left, as far as their edits show
// them.
func replayed(m Change, mine []fileCall) []fileCall {
	var at []int
	var writes []toolcalls.Write
	for i, c := range mine {
		if w, byTool := c.Wrote[m.Path]; byTool {
			at, writes = append(at, i), append(writes, w)
		}
	}
	unknown := func(w toolcalls.Write) bool { return w.Before == "" && w.Edit != nil }
	if !slices.ContainsFunc(writes, unknown) {
		return mine
	}
	texts := [][]byte{nil}
	if m.Texts != nil {
		texts = append(m.Texts(), nil)
	}
	for _, text := range texts {
		if found := toolcalls.Replay(writes, text, m.Now(), m.ChangedSince); !slices.Equal(found, writes) {
			mine = slices.Clone(mine)
			for k, i := range at {
				mine[i].Wrote = maps.Clone(mine[i].Wrote)
				mine[i].Wrote[m.Path] = found[k]
			}
			return mine
		}
	}
	return mine
}
