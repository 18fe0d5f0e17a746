package list

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/app/purge"
	"agentflow/internal/consolidate"
	"agentflow/internal/lists"
	"agentflow/internal/usecount"
	"agentflow/memory"
	"agentflow/memory/digest"
)

// StatsResult counts the facts of the repository and of the user's own memory.
type StatsResult struct {
	api.Stats
	Degraded []string // what did not work, a line each; never nil
}

// Stats counts the items of memory, and how often memory was useful.
func Stats(ctx context.Context, m *app.Memory) (res StatsResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	defer o.OrNothing(&err)
	res.Stats = countFacts(nil, time.Now())
	s, err := o.OpenOrGlobal(ctx, o.OpenToRead)
	if err != nil {
		return res, err
	}
	res.Stats, err = stats(ctx, s, time.Now())
	return res, err
}

const usesListed = 10

func stats(ctx context.Context, s *app.Repo, now time.Time) (api.Stats, error) {
	var list []*lookup.StoredFact
	for _, home := range s.AndGlobal(ctx) {
		facts, err := lookup.Facts(ctx, home)
		if err != nil {
			return api.Stats{}, err
		}
		list = append(list, facts...)
		if home.Policy.CountsShared() {
			list = append(list, lookup.SharedFacts(ctx, home, func(*lookup.StoredFact) bool { return true })...)
		}
	}
	o := countFacts(list, now)
	if err := countFiles(s, &o); err != nil {
		return o, err
	}
	counts := lookup.UseCounts(ctx, s)
	o.Used, o.Uses = len(counts), mostUsed(ctx, s, counts, list)
	return o, nil
}

func mostUsed(ctx context.Context, s *app.Repo, counts map[string]usecount.Use, list []*lookup.StoredFact) []api.UseCount {
	out := []api.UseCount{}
	for _, id := range slices.Sorted(maps.Keys(counts)) {
		u := counts[id]
		out = append(out, api.UseCount{ID: id, Count: u.Count(), Prompt: u.Prompt, Search: u.Search, Get: u.Get, Last: u.Last})
	}
	slices.SortStableFunc(out, func(a, b api.UseCount) int { return cmp.Or(b.Count-a.Count, b.Last.Compare(a.Last)) })
	out = out[:min(usesListed, len(out))]
	texts := textsOf(ctx, s, lists.Mapped(out, func(u api.UseCount) string { return u.ID }), list)
	for i := range out {
		out[i].Text = texts[out[i].ID]
	}
	return out
}

// textsOf returns the titles of entries and the texts of facts, by those of the given ids
// that they have.
func textsOf(ctx context.Context, s *app.Repo, ids []string, list []*lookup.StoredFact) map[string]string {
	texts := map[string]string{}
	for b := range lookup.Mentioning(ctx, s, lists.Mapped(ids, digest.ByID)...) {
		if b.Entry != nil && slices.Contains(ids, b.Entry.ID) {
			texts[b.Entry.ID] = purge.TitleOf(b.Entry)
		}
	}
	for _, k := range list {
		for _, id := range k.IDs() {
			texts[id] = k.Text
		}
	}
	return texts
}

func countFacts(list []*lookup.StoredFact, now time.Time) api.Stats {
	o := api.Stats{Types: map[string]int{}, Namespaces: map[string]int{}, Categories: map[string]int{}, Tags: map[string]int{},
		Sources: map[string]int{}, Ages: map[string]int{}, Uses: []api.UseCount{}}
	for _, k := range list {
		switch {
		case k.Struck:
			o.Struck++
			continue
		case !k.Live(now):
			o.Expired++
			continue
		}
		o.Live++
		if k.IsPinned() {
			o.Pinned++
		}
		o.Types[cmp.Or(string(k.Type), "none")]++
		o.Namespaces[fact.NamespaceText(k.Namespace)]++
		o.Sources[sourceKind(k)]++
		o.Ages[ageOf(k.CreatedAt(), now)]++
		if k.Category != "" {
			o.Categories[k.Category]++
		}
		for _, tag := range k.Tags {
			o.Tags[tag]++
		}
	}
	return o
}

func sourceKind(k *lookup.StoredFact) string {
	if len(k.Source) == lookup.FullID || k.Source == "" && k.Entry != nil && k.Entry.Kind.ByAgent() {
		return "run"
	}
	return cmp.Or(k.Source, memory.ByHand)
}

// ages names periods, each with the number of days that it reaches back.
var ages = []struct {
	name string
	days int
}{{"day", 1}, {"week", 7}, {"month", 30}, {"year", 365}}

func ageOf(at, now time.Time) string {
	if at.IsZero() {
		return "unknown"
	}
	for _, a := range ages {
		if !at.Before(now.AddDate(0, 0, -a.days)) {
			return a.name
		}
	}
	return "older"
}

func countFiles(s *app.Repo, o *api.Stats) error {
	names, err := memoryfiles.List(s)
	if err != nil {
		return fmt.Errorf("counting memory: %w", err)
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // consolidation may fold a file just now
		}
		if err != nil {
			return fmt.Errorf("counting memory: %w", err)
		}
		o.Files++
		o.Bytes += info.Size()
	}
	o.MemoryMD, err = lastingSize(s)
	return err
}

// lastingSize returns the size of MEMORY.md.
func lastingSize(s *app.Repo) (api.MemoryFileSize, error) {
	size := api.MemoryFileSize{LoadedLines: consolidate.LoadedLines, LoadedBytes: consolidate.LoadedBytes}
	data, err := memoryfiles.Read(filepath.Join(s.Memory(), memory.LastingFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return size, fmt.Errorf("counting memory: %w", err)
	}
	size.Lines, size.Bytes = bytes.Count(data, []byte("\n")), len(data)
	return size, nil
}
