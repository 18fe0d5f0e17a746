package app

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"agentflow/consolidate"
	"agentflow/uses"

	"github.com/spf13/cobra"
)

func (a *operation) memoryStatsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stats [flags]",
		Short: "Count the facts that memory holds, and what was used of them",
		Long: `Stats counts facts by type, namespace, category, tag and source, those of your
own memory among them, and says how much of MEMORY.md agents still load. How
often a fact or an entry was put in front of a prompt, found by a search or shown
is counted beside the log; it decides nothing.`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.siteOrGlobal(cmd.Context(), a.reading)
			if err != nil {
				return err
			}
			o, err := s.stats(cmd.Context(), time.Now())
			if err != nil {
				return err
			}
			if asJSON {
				return a.json(o)
			}
			a.printStats(o)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// statsObject is what memory stats --json prints.
type statsObject struct {
	Live       int            `json:"live"` // facts that hold; those below are counted among them
	Struck     int            `json:"struck"`
	Expired    int            `json:"expired"`
	Pinned     int            `json:"pinned"`
	Types      map[string]int `json:"types"`
	Namespaces map[string]int `json:"namespaces"`
	Categories map[string]int `json:"categories"`
	Tags       map[string]int `json:"tags"`
	Sources    map[string]int `json:"sources"` // all runs are one
	Ages       map[string]int `json:"ages"`    // by when they were said: day, week, month, year, older, unknown
	Files      int            `json:"files"`
	Bytes      int64          `json:"bytes"`
	MemoryMD   sizeObject     `json:"memory_md"`
	Used       int            `json:"used"` // facts and entries that were ever of use
	Uses       []useObject    `json:"uses"` // the most used
}

// sizeObject is how much MEMORY.md holds, and how much agents load of it.
type sizeObject struct {
	Lines       int `json:"lines"`
	Bytes       int `json:"bytes"`
	LoadedLines int `json:"loaded_lines"`
	LoadedBytes int `json:"loaded_bytes"`
}

// useObject is how often something was of use.
type useObject struct {
	ID     string    `json:"id"`
	Count  int       `json:"count"`  // of all kinds
	Prompt int       `json:"prompt"` // it stood in a prompt
	Search int       `json:"search"` // a search found it
	Get    int       `json:"get"`    // somebody looked at it
	Last   time.Time `json:"last"`
	Text   string    `json:"text"` // of the fact, else the entry's title
}

// mostUsed is how many of those that were used are named.
const mostUsed = 10

func (s *site) stats(ctx context.Context, now time.Time) (statsObject, error) {
	list := s.facts()
	if !s.isGlobal() {
		own, err := s.ownFacts(ctx)
		if err != nil {
			return statsObject{}, err
		}
		list = append(list, own...)
	}
	o := countFacts(list, now)
	o.MemoryMD = sizeObject{LoadedLines: consolidate.LoadedLines, LoadedBytes: consolidate.LoadedBytes}
	if err := s.countFiles(&o); err != nil {
		return o, err
	}
	counts := s.useCounts(ctx)
	o.Used, o.Uses = len(counts), s.mostUsed(counts, list)
	return o, nil
}

// mostUsed names those of the uses that lead.
func (s *site) mostUsed(counts map[string]uses.Use, list []storedFact) []useObject {
	texts := map[string]string{}
	for b := range s.blocks() {
		if b.Entry != nil {
			texts[b.Entry.ID] = titleOf(b.Entry)
		}
	}
	for _, k := range list {
		for _, id := range k.IDs() {
			texts[id] = k.Text
		}
	}
	out := []useObject{}
	for _, id := range slices.Sorted(maps.Keys(counts)) {
		u := counts[id]
		out = append(out, useObject{id, u.Count(), u.Prompt, u.Search, u.Get, u.Last, texts[id]})
	}
	slices.SortStableFunc(out, func(a, b useObject) int { return cmp.Or(b.Count-a.Count, b.Last.Compare(a.Last)) })
	return out[:min(mostUsed, len(out))]
}
