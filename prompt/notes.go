package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/quote"
	"agentflow/memory/retrieval"
)

// toolShare is the most of the room for notes that facts which agents stored
// through tools take while there are others, as of the hits of a prompt.
const toolShare = 0.6

// lately returns the facts that count at a time in these namespaces and the
// project's, each once, in the order in which they are shown: pinned ones first, and
// then the newest.
func lately(facts []Fact, now time.Time, namespaces []string) []Fact {
	var list []Fact
	seen := map[string]bool{}
	for _, f := range facts {
		key := strings.Join(strings.Fields(f.Whole()), " ")
		if !f.Live(now) || !f.Counts(namespaces) || key == "" || seen[key] {
			continue
		}
		seen[key] = true
		list = append(list, f)
	}
	pinned := map[bool]int{true: 1}
	slices.SortStableFunc(list, func(a, b Fact) int {
		return cmp.Or(cmp.Compare(pinned[b.Pinned()], pinned[a.Pinned()]), changed(b).Compare(changed(a)))
	})
	return list
}

// notesOf shows notes, the first ones first, in at most so many tokens: below a line
// for each day and file, quoted as in a block. Notes that agents stored through tools get
// at most three fifths of the room if there is something else to show.
func notesOf(notes []Fact, format Format, tokens int) section {
	left := int(toolShare * float64(tokens))
	var order, later []Fact
	for _, f := range notes {
		if f.ByTool() {
			if left -= memory.Tokens(quoteLines(format.fact(f))); left < 0 {
				later = append(later, f)
				continue
			}
		}
		order = append(order, f)
	}
	return sectionOf(append(order, later...), dayHead, format, tokens)
}

// dayHead returns the line above the notes of one day in one file.
func dayHead(f Fact) string {
	return fmt.Sprintf("[notes of %s] %s\n", f.Created.Format(time.DateOnly), quote.Path(f.Path))
}

// fresh returns the notes that neither MEMORY.md nor one of the hits contains.
func (in *Input) fresh(hits []retrieval.Hit) []Fact {
	ids, texts := map[string]bool{}, map[string]bool{}
	known := func(f memory.Fact) {
		texts[f.Whole()] = true
		for _, id := range f.IDs() {
			ids[id] = true
		}
	}
	for _, f := range in.Facts {
		known(f.Fact)
	}
	for _, h := range hits {
		for _, b := range markdown.Parse([]byte(h.Text)).Blocks {
			for _, f := range b.Facts {
				known(f.Fact)
			}
		}
	}
	shown := func(f Fact) bool {
		return slices.ContainsFunc(hits, func(h retrieval.Hit) bool { return h.Path == f.Path && h.StartLine <= f.Line && f.Line <= h.EndLine })
	}
	return slices.DeleteFunc(lately(in.Notes, in.Now, in.Namespaces), func(f Fact) bool {
		return texts[f.Whole()] || shown(f) || slices.ContainsFunc(f.IDs(), func(id string) bool { return ids[id] })
	})
}
