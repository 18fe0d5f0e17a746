package propose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/internal/consolidate"
	"agentflow/internal/lists"
	"agentflow/internal/propose/proposals"
	"agentflow/memory"
)

// unusedFor must pass without a change or use of a fact before missing files count against it.
const unusedFor = 180 * 24 * time.Hour

// retirement is a fact that is probably outdated.
type retirement struct {
	fact   *lookup.StoredFact
	id     string // of the proposal
	reason string
}

// ProposeRetirements proposes to retire facts that are probably outdated. A person decides about each. It returns the
// number of new proposals.
func ProposeRetirements(ctx context.Context, s *app.Repo, now time.Time) (added int, err error) {
	facts, err := lookup.Facts(ctx, s)
	if err != nil {
		return 0, err
	}
	facts = slices.DeleteFunc(facts, func(k *lookup.StoredFact) bool {
		return k.ID == "" || !k.Live(now) || k.IsPinned() || k.File == lookup.Feedback || memoryfiles.IsUntrusted(s, k.Path)
	})
	counts := lookup.UseCounts(ctx, s)
	lookup.WithUses(facts, counts)
	list := outdated(facts)
	gone, err := withoutFiles(ctx, s, facts, now)
	list = append(list, gone...)
	if len(list) == 0 {
		return 0, err
	}
	return added, errors.Join(err, changeProposals(ctx, s, now, func(p *proposals.List) bool {
		for _, r := range list {
			if slices.ContainsFunc(p.Waiting, func(w proposals.Proposal) bool { return w.Fact == r.fact.ID }) {
				continue
			}
			w := proposals.Proposal{ID: r.id, Kind: ForRetirement, Text: r.fact.Whole(), Reason: r.reason, At: now.UTC().Truncate(time.Second), Fact: r.fact.ID}
			if p.Add(w) {
				added++
			}
		}
		return added > 0
	}))
}

// outdated returns the facts that a newer fact of a person contradicts, or for which it gives another value.
func outdated(facts []*lookup.StoredFact) (list []retirement) {
	byNamespace := map[string][]*lookup.StoredFact{}
	for _, k := range facts {
		byNamespace[k.Namespace] = append(byNamespace[k.Namespace], k)
	}
	for _, namespace := range slices.Sorted(maps.Keys(byNamespace)) {
		in := byNamespace[namespace]
		for _, clash := range consolidate.Clashes(lists.Mapped(in, func(k *lookup.StoredFact) string { return k.Whole() })) {
			older, newer := in[clash.A], in[clash.B]
			if cmp.Or(older.UpdatedAt().Compare(newer.UpdatedAt()), strings.Compare(older.ID, newer.ID)) > 0 {
				older, newer = newer, older
			}
			if clash.Differs && newer.Owned().Stated() {
				reason := fmt.Sprintf("%s says otherwise: %s", memory.ShortID(newer.ID), memory.Title(newer.Whole()))
				list = append(list, retirement{older, memory.HashID("retirement", older.ID, newer.ID), reason})
			}
		}
	}
	return list
}

// withoutFiles returns the unused facts that name only missing files: memory recorded changes of these files, and
// neither the work tree nor git's index has them.
func withoutFiles(ctx context.Context, s *app.Repo, facts []*lookup.StoredFact, now time.Time) (list []retirement, err error) {
	idle := slices.DeleteFunc(slices.Clone(facts), func(k *lookup.StoredFact) bool {
		return now.Sub(k.UpdatedAt()) < unusedFor || now.Sub(k.Used.Last) < unusedFor || !strings.ContainsAny(k.Text, "./")
	})
	if len(idle) == 0 {
		return nil, nil
	}
	repo, err := s.Repo(ctx)
	if err != nil {
		if errors.Is(err, app.ErrNoGit) {
			err = nil
		}
		return nil, err
	}
	tracked, err := repo.Tracked(ctx, "")
	if err != nil {
		return nil, err
	}
	recorded := recordedPaths(s)
	for _, k := range idle {
		var gone []string
		for _, name := range namesIn(k.Whole()) {
			_, kept := tracked[name]
			if _, err := os.Lstat(filepath.Join(repo.Root(), filepath.FromSlash(name))); err == nil || kept {
				gone = nil
				break
			}
			if recorded[name] {
				gone = append(gone, name)
			}
		}
		if len(gone) > 0 {
			reason := fmt.Sprintf("%s is gone, and the fact was of no use for half a year", gone[0])
			list = append(list, retirement{k, memory.HashID("retirement", k.ID, "files"), reason})
		}
	}
	return list, nil
}

// recordedPaths returns the paths with a recorded change in an entry.
func recordedPaths(s *app.Repo) map[string]bool {
	paths := map[string]bool{}
	for b := range lookup.ReadableBlocks(s) {
		if b.Entry == nil {
			continue
		}
		for _, c := range ChangesAnywhere(b.Entry) {
			paths[c.Path] = true
		}
	}
	return paths
}

// namesIn returns the words of a text that may be paths.
func namesIn(text string) (names []string) {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n`\"'(),;<>[]", r) }) {
		w = strings.TrimPrefix(strings.TrimRight(w, ".:!?"), "./")
		if strings.ContainsAny(w, "./") && filepath.IsLocal(w) {
			names = append(names, w)
		}
	}
	return names
}
