package lookup

import (
	"fmt"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/memory"
)

// EditResult describes the edited fact.
type EditResult struct {
	Fact     api.Fact
	Changed  bool     // false: the fact already was as requested
	Replaced string   // id of the old fact, now struck, that this fact replaces; empty: the fact was edited in its place
	Places   []string // places of the change: memory/FILE:LINE
	Others   []string // places of other facts with the same id, which were not changed
	Degraded []string
}

// Editable returns the fact of an item. For a note with one fact, that is its fact. Judgements and
// other entries are refused.
func (f StoredItem) Editable() (memory.Fact, error) {
	switch {
	case f.Fact != nil && f.File == Feedback:
		return memory.Fact{}, &app.Error{Kind: app.KindRefused,
			Err:  fmt.Errorf("editing %s: it is a judgement, not a fact", memory.ShortID(f.ID)),
			Hint: "'agentflow forget " + memory.ShortID(f.ID) + "' takes it back"}
	case f.Fact != nil:
		return *f.Fact, nil
	case len(f.Facts) == 1 && f.Entry.Kind == memory.KindNote && f.Facts[0].ID != "":
		return f.Facts[0].Fact, nil
	}
	return memory.Fact{}, &app.Error{Kind: app.KindRefused,
		Err:  fmt.Errorf("editing %s: it is an entry, and only facts are edited so", memory.ShortID(f.ID)),
		Hint: fmt.Sprintf("its task and its summary can be edited in %s, from line %d on; what it says of git and of its result is as it was found", f.Path, f.StartLine)}
}
