package exchange

import (
	"maps"
	"slices"

	"agentflow/internal/share"
)

// Report describes what an exchange did, or would do.
type Report struct {
	ID       share.CloneID
	Pushed   bool
	Files    []string        // changed files of this clone, sorted
	Bytes    int64           // of those files
	Texts    []string        // with DryRun: the shared text of Files, in their order; empty: the file is removed
	Clones   []Shared        // the accepted clones, including this one, sorted by id
	News     []share.CloneID // the clones in Clones with changes
	Refused  []Refused
	Healed   []share.CloneID // folders that the remote had lost
	Restored []string        // files of this clone's memory that were lost
	Kept     []string        // files that were purged elsewhere and stay, because they changed here
	Adopted  bool            // another process with this clone's key wrote its memory
}

// Refused is a folder that was not accepted.
type Refused struct {
	ID  share.CloneID
	Why string
	New bool // the previous exchange did not refuse it for that reason
}

// tell fills in the accepted, the new and the refused folders.
func (r *Report) tell(accepted map[share.CloneID]known, news []share.CloneID, refused, before map[share.CloneID]refusal) {
	r.Clones, r.Refused = nil, nil
	for _, who := range sorted(accepted) {
		k := accepted[who]
		r.Clones = append(r.Clones, Shared{ID: who, Author: k.Author, Time: k.Time, Tree: k.Tree})
	}
	r.News = slices.DeleteFunc(slices.Clone(news), func(who share.CloneID) bool { return who == r.ID })
	slices.Sort(r.News)
	for _, who := range sorted(refused) {
		r.Refused = append(r.Refused, Refused{who, refused[who].Why, refused[who] != before[who]})
	}
}

func sorted[V any](m map[share.CloneID]V) []share.CloneID { return slices.Sorted(maps.Keys(m)) }
