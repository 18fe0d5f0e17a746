package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/index"
	"agentflow/memory"
	"agentflow/prompt"

	"github.com/spf13/cobra"
)

// filterFlags are the filters that search and recall share.
type filterFlags struct {
	since, until, kind, factType, tag, path, branch string
	namespaces                                      []string
}

func (f *filterFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.since, "since", "", "only from this `date` on (2026-11-21, or 7d for the last week)")
	flags.StringVar(&f.until, "until", "", "only before this `date`")
	flags.StringVar(&f.kind, "kind", "", "only this `kind`: run, commit or note")
	flags.StringVar(&f.factType, "type", "", "only with a fact of this `type`: semantic, episodic or procedural")
	flags.StringVar(&f.tag, "tag", "", "only with a fact that has this `tag`")
	flags.StringVar(&f.path, "path", "", "only what changed this `path` or something below it")
	flags.StringVar(&f.branch, "branch", "", "only from this `branch`")
	flags.StringArrayVar(&f.namespaces, "namespace", nil, "facts of this `namespace` count, instead of the current branch's; may be given again")
	complete(cmd, "namespace", "branch")
	complete(cmd, "kind", "run", "commit", "note")
	complete(cmd, "type", "semantic", "episodic", "procedural")
}

// filter checks the flags.
func (f *filterFlags) filter(now time.Time) (memory.Filter, error) {
	out := memory.Filter{Tag: f.tag, Branch: f.branch, Path: strings.TrimSuffix(f.path, "/"),
		Kind: memory.Kind(f.kind), Type: memory.FactType(f.factType)}
	var err error
	if out.Since, err = parseWhen("since", f.since, now); err != nil {
		return out, err
	}
	if out.Until, err = parseWhen("until", f.until, now); err != nil {
		return out, err
	}
	if err := oneOf("kind", f.kind, "run", "commit", "note"); err != nil {
		return out, err
	}
	return out, oneOf("type", f.factType, "semantic", "episodic", "procedural")
}

func (a *operation) searchCommand() *cobra.Command {
	var filters filterFlags
	var limit int
	var asJSON, explain bool
	cmd := &cobra.Command{
		Use:   "search [flags] WORDS…",
		Short: "Find what memory holds about something",
		Long: `Search lists the entries and the hand-written text that match the words best,
with where they stand. Nothing found is no error.`,
		Example: `  agentflow search "flaky login"
  agentflow search --since 30d --path auth/ clock`,
		Args: atLeastOne("words to search for"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 {
				return usagef("--limit is at least 1")
			}
			s, q, err := a.asked(cmd.Context(), filters)
			if err != nil {
				return err
			}
			s.patient = true
			query := strings.Join(args, " ")
			q.Text, q.Limit = query, limit
			hits, degraded, err := s.search(cmd.Context(), q)
			s.degraded("search", degraded)
			if err != nil {
				return err
			}
			s.countFound(cmd.Context(), hits)
			query = asFound(query, hits)
			if !explain {
				dropExplain(hits)
			}
			if asJSON {
				return a.json(hits)
			}
			a.printHits(query, hits)
			return nil
		},
	}
	filters.register(cmd)
	cmd.Flags().IntVarP(&limit, "limit", "n", 10, "at most this many hits")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON list of hits")
	cmd.Flags().BoolVar(&explain, "explain", false, "show every part of each score")
	return cmd
}

// asked opens the memory that a question is put to, and begins the question
// with its filters.
func (a *operation) asked(ctx context.Context, filters filterFlags) (s *site, q memory.Query, err error) {
	hurryMemory()
	if q.Filter, err = filters.filter(time.Now()); err != nil {
		return nil, q, err
	}
	if s, err = a.reading(ctx); err != nil {
		return nil, q, err
	}
	q.Namespaces, err = s.namespaces(ctx, filters.namespaces, "")
	return s, q, err
}

// asFound is a query with the words that were found for it: a search looks
// past typing errors.
func asFound(query string, hits []memory.Hit) string {
	var terms []string
	for _, h := range hits {
		if h.Explain != nil {
			terms = append(terms, h.Explain.Terms...)
		}
	}
	slices.Sort(terms)
	return query + "\n" + strings.Join(slices.Compact(terms), " ")
}

func dropExplain(hits []memory.Hit) {
	for i := range hits {
		hits[i].Explain = nil
	}
}

// own asks this memory's index, brought up to date first, and weighs facts
// for the question.
func (s *site) own(ctx context.Context, q memory.Query, facts []prompt.Fact) ([]memory.Hit, []string, error) {
	listed := index.List(ctx, s.sources(ctx)...)
	db, degraded, err := s.openIndex(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("searching memory: %s", strings.Join(append(degraded, err.Error()), "; "))
	}
	defer db.Close()
	q.Now = time.Now()
	trace := s.tracer(ctx)
	if trace != nil {
		q.Stands = trace.stands
	}
	q.Exists = s.exists
	hits, more, err := s.askIndex(ctx, db, listed, q)
	degraded = append(degraded, more...)
	if hits == nil {
		hits = []memory.Hit{}
	}
	if len(facts) > 0 {
		degraded = appendError(degraded, weigh(ctx, db, q.Text, facts))
	}
	if trace != nil {
		trace.update(hits)
		degraded = append(degraded, trace.trouble...)
	}
	return hits, degraded, err
}

// askIndex searches an open index that is brought up to date with what is listed.
func (s *site) askIndex(ctx context.Context, db *index.DB, listed *index.Listing, q memory.Query) (hits []memory.Hit, degraded []string, err error) {
	var report index.SyncReport
	var synced, late error
	if e, _ := s.embedding(); asks(e) { // what waits for a vector gets it first
		report, synced = db.SyncListed(ctx, listed)
		late = s.completeSoon(ctx, db)
		hits, err = db.Search(ctx, q)
	} else {
		hits, report, synced, err = db.SearchListed(ctx, listed, q)
	}
	if synced != nil {
		degraded = append(degraded, fmt.Sprintf("bringing the index up to date: %v", synced))
	}
	return hits, append(append(report.Skipped, degraded...), s.vectors.trouble(late)...), err
}

// printHits lists the hits of a query for people.
func (a *operation) printHits(query string, hits []memory.Hit) {
	if len(hits) == 0 {
		a.say("nothing found")
	}
	print := a.hitPrinter(query)
	for i, h := range hits {
		if i > 0 {
			a.printf("\n")
		}
		print(h, "")
	}
}

// hitPrinter shows hits of a query, each with a note behind its score.
func (a *operation) hitPrinter(query string) func(h memory.Hit, note string) {
	mark, cells := index.Highlighter(query), snippetCells
	if a.outTTY {
		cells = min(cells, columns()-2)
	}
	return func(h memory.Hit, note string) {
		if h.FromRepository {
			note += "  from the repository: not believed"
		}
		a.printf("%s%s\n", a.bold(cleanLine(h.Heading)), goneMark(h))
		a.printf("%s\n", a.dim(cleanLine(fmt.Sprintf("%s  score %.3f%s", linesIn(h.Path, h.StartLine, h.EndLine), h.Score, note))))
		if e := h.Explain; e != nil {
			a.printf("%s\n", a.dim(explained(e)))
		}
		for _, line := range snippet(h.Text, mark, cells) {
			a.printf("  %s\n", line.styled(a.matched))
		}
	}
}

// explained is every part of a score, in columns that stand alike for every
// hit.
func explained(e *memory.Explain) string {
	var names, values strings.Builder
	for _, part := range []struct {
		name  string
		value float64
	}{
		{"keyword", e.Keyword}, {"vector", e.Vector}, {"decay", e.Decay}, {"importance", e.Importance}, {"judgement", e.Judgement},
		{"files", e.Files}, {"idf mass", e.Mass},
	} {
		fmt.Fprintf(&names, "  %8s", part.name)
		fmt.Fprintf(&values, "  %*.3f", max(8, len(part.name)), part.value)
	}
	text := fmt.Sprintf("%s\n%s\n  terms %s · named %s", names.String(), values.String(), listed(e.Terms), listed(e.Named))
	for _, l := range e.Commits {
		text += "\n  commit " + shortCommit(l.ID) + markOf(l)
	}
	return text
}

func goneMark(h memory.Hit) string {
	switch {
	case h.Undone:
		return " (undone)"
	case h.Gone:
		return " (not in HEAD)"
	}
	return ""
}

func listed(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return memory.Clean(strings.Join(words, " "))
}

func cutRunes(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}
