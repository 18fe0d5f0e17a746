package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"agentflow/memory"
	"agentflow/memory/chunk"

	"github.com/spf13/cobra"
)

func (a *operation) memorySimilarCommand() *cobra.Command {
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "similar [flags] ID|last",
		Short: "List what memory holds that is most like a fact or an entry",
		Long: `Similar searches memory with the text of a fact or an entry and lists the facts
that come nearest, and the entries without any, with how near they are, 0 to 1:
by vectors where there are, else by the words they share. It says which say the
same, and which differ in no more than a number, a name or a negation.`,
		Example:           "  agentflow memory similar 3f9a1c\n  agentflow memory similar last --limit 3 --json",
		Args:              exactly(1, "one id, or 'last'"),
		ValidArgsFunction: a.completeFacts,
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 {
				return usagef("--limit is at least 1")
			}
			s, err := a.siteOrGlobal(cmd.Context(), a.reading)
			if err != nil {
				return err
			}
			s, f, err := s.findAnywhere(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			s.patient = true
			list, err := s.similar(cmd.Context(), f, limit)
			if err != nil {
				return err
			}
			if asJSON {
				return a.json(list)
			}
			a.printSimilar(list)
			return nil
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 10, "at most this many")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON list")
	return cmd
}

// similarObject is something that is like what was asked about.
type similarObject struct {
	ID         string          `json:"id"`         // of the fact, else of the entry; empty for hand-written text
	Type       memory.FactType `json:"type"`       // empty when it is no fact
	Similarity float64         `json:"similarity"` // 0 to 1
	Relation   string          `json:"relation"`   // what the two are to each other, where that can be told
	Text       string          `json:"text"`
	Namespace  string          `json:"namespace"`
	File       string          `json:"file"` // relative to the .agentflow folder
	Line       int             `json:"line"`

	fact  *memory.Fact
	title string // of an entry
}

// similar finds what is most like f.
func (s *site) similar(ctx context.Context, f storedItem, limit int) ([]similarObject, error) {
	text, own := f.words()
	known := s.facts()
	hits, degraded, err := s.search(ctx, memory.Query{Text: text, Limit: 4*limit + 10, Namespaces: namespacesOf(known)})
	s.degraded("memory similar", degraded)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	list := candidates(hits, slices.DeleteFunc(known, func(k storedFact) bool { return !k.Live(now) }), own)
	texts := []string{text}
	for _, c := range list {
		texts = append(texts, c.Text)
	}
	for i, n := range s.nearness(ctx, texts) {
		list[i].Similarity = n
		if f.Fact != nil && list[i].fact != nil {
			list[i].Relation = relation(*f.Fact, *list[i].fact, now)
		}
	}
	slices.SortStableFunc(list, func(a, b similarObject) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return list[:min(limit, len(list))], nil
}

// words are what something is searched with, and the ids that are itself.
func (f storedItem) words() (text string, own []string) {
	if f.Fact != nil {
		return f.Fact.Text, f.Fact.IDs()
	}
	own = []string{f.ID}
	for _, at := range f.Facts {
		own = append(own, at.IDs()...)
	}
	title, body, _ := chunk.Projection(*f.Entry)
	return title + "\n" + body, own
}

// namespacesOf are those in which memory knows facts.
func namespacesOf(list []storedFact) []string {
	var names []string
	for _, k := range list {
		if !slices.Contains(names, k.Namespace) {
			names = append(names, k.Namespace)
		}
	}
	return names
}

// candidates are the live facts that stand in the hits, and the hits in which none
// does, each once and without what is asked about.
func candidates(hits []memory.Hit, known []storedFact, own []string) []similarObject {
	list := []similarObject{}
	taken := map[string]bool{}
	for _, id := range own {
		taken[id] = true
	}
	for _, h := range hits {
		within := 0
		for _, k := range known {
			inEntry := k.Entry != nil && k.Entry.ID != "" && k.Entry.ID == h.EntryID
			beside := inEntry || k.StartLine <= h.EndLine && k.EndLine >= h.StartLine
			moved := k.Entry == nil && movedFrom(h, k.Fact)
			if !moved && (k.File != h.Path || !beside) {
				continue
			}
			within++
			if k.ID != "" && !taken[k.ID] {
				taken[k.ID] = true
				list = append(list, similarObject{ID: k.ID, Type: k.Type, Text: k.Text, Namespace: k.Namespace, File: k.File, Line: k.StartLine, fact: &k.Fact})
			}
		}
		if within == 0 && !taken[h.EntryID] {
			list = append(list, similarObject{ID: h.EntryID, Text: h.Text, Namespace: h.Namespace, File: h.Path, Line: h.StartLine, title: h.Heading})
		}
	}
	return list
}

func (a *operation) printSimilar(list []similarObject) {
	if len(list) == 0 {
		a.say("nothing is like it")
	}
	for _, o := range list {
		id := memory.ShortID(o.ID)
		line := fmt.Sprintf("%.2f  %-6s  %-10s", o.Similarity, cmp.Or(id, "-"), o.Type)
		text := cmp.Or(cleanLine(o.title), memory.Title(o.Text))
		if o.Relation != "" {
			text += " (" + cleanLine(o.Relation) + ")"
		}
		shown := shownLine{text: text}
		if a.outTTY {
			shown = shown.cut(max(20, columns()-cellsOf(line)-2))
		}
		a.printf("%s  %s\n", a.dim(line), shown.text)
	}
}
