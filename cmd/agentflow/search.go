package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"agentflow/memory"

	"github.com/spf13/cobra"
)

// filterFlags are the filters that search and recall share.
type filterFlags struct {
	since, until, kind, factType, tag, path, branch string
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

func (a *app) searchCommand() *cobra.Command {
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
			s, filter, err := a.asked(cmd.Context(), filters)
			if err != nil {
				return err
			}
			hits, degraded, err := s.search(cmd.Context(), memory.Query{Text: strings.Join(args, " "), Limit: limit, Filter: filter})
			s.degraded("search", degraded)
			if err != nil {
				return err
			}
			if !explain {
				dropExplain(hits)
			}
			if asJSON {
				return a.json(hits)
			}
			a.printHits(hits)
			return nil
		},
	}
	filters.register(cmd)
	cmd.Flags().IntVarP(&limit, "limit", "n", 10, "at most this many hits")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON list of hits")
	cmd.Flags().BoolVar(&explain, "explain", false, "show every part of each score")
	return cmd
}

// asked opens the memory that a question is put to, and checks its filters.
func (a *app) asked(ctx context.Context, filters filterFlags) (*site, memory.Filter, error) {
	filter, err := filters.filter(time.Now())
	if err != nil {
		return nil, filter, err
	}
	s, err := a.reading(ctx)
	return s, filter, err
}

func dropExplain(hits []memory.Hit) {
	for i := range hits {
		hits[i].Explain = nil
	}
}

// search asks the index, brought up to date first.
func (s *site) search(ctx context.Context, q memory.Query) ([]memory.Hit, []string, error) {
	db, degraded := s.indexed(ctx)
	if db == nil {
		return nil, nil, fmt.Errorf("searching memory: %s", strings.Join(degraded, "; "))
	}
	defer db.Close()
	q.Now = time.Now()
	if repo, err := s.repo(); err == nil {
		if reachable, err := repo.Reachable(ctx); err == nil {
			q.Reachable = reachable
		}
	}
	q.Exists = s.exists
	hits, err := db.Search(ctx, q)
	if hits == nil {
		hits = []memory.Hit{}
	}
	return hits, degraded, err
}

// printHits lists hits for people.
func (a *app) printHits(hits []memory.Hit) {
	if len(hits) == 0 {
		a.say("nothing found")
	}
	for i, h := range hits {
		if i > 0 {
			a.printf("\n")
		}
		a.printf("%s%s\n", a.bold(memory.Clean(h.Heading)), goneMark(h))
		a.printf("%s\n", a.dim(fmt.Sprintf("%s:%d-%d  score %.3f", h.Path, h.StartLine, h.EndLine, h.Score)))
		if e := h.Explain; e != nil {
			a.printf("%s\n", a.dim(fmt.Sprintf("keyword %.3f × decay %.3f × importance %.3f · idf mass %.0f%% · terms %s · named %s",
				e.Keyword, e.Decay, e.Importance, 100*e.Mass, listed(e.Terms), listed(e.Named))))
		}
		for _, line := range snippet(h.Text, 4) {
			a.printf("  %s\n", line)
		}
	}
}

func goneMark(h memory.Hit) string {
	if h.Gone {
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

// snippet is the first telling lines of a hit's text: no headings, comments,
// labels without a value or rules.
func snippet(text string, most int) []string {
	var out []string
	for _, line := range strings.Split(memory.Clean(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line == "---" || line == "None" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "<!--") {
			continue
		}
		if cut := strings.Index(line, " <!--"); cut > 0 {
			line = line[:cut]
		}
		if out = append(out, cutRunes(line, 160)); len(out) == most {
			break
		}
	}
	return out
}

func cutRunes(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}
