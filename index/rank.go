package index

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"agentflow/memory"
)

// rank scores the candidates and sorts them, best first.
func rank(found []*candidate, q memory.Query, r Ranking) {
	best := 0.0
	for _, k := range found {
		best = max(best, k.bm25)
	}
	gone := reachability(q.Reachable)
	for _, k := range found {
		k.keyword = 1
		if best > 0 {
			k.keyword = k.bm25 / best
		}
		k.decay = decay(k, q.Now, r)
		k.weight = 1 + r.ImportanceSpan*k.importance
		k.score = k.keyword * k.decay * k.weight
		if k.gone = gone(k.commits); k.gone {
			k.score *= r.GoneWeight
		}
	}
	slices.SortFunc(found, func(a, b *candidate) int {
		return cmp.Or(
			cmp.Compare(b.score, a.score),
			cmp.Compare(when(b), when(a)),
			strings.Compare(a.path, b.path),
			cmp.Compare(a.start, b.start),
		)
	})
}

// when sorts undated text as the oldest.
func when(k *candidate) int64 {
	if k.date == nil {
		return math.MinInt64
	}
	return *k.date
}

// decay is 1 for what does not age: undated or pinned text.
func decay(k *candidate, now time.Time, r Ranking) float64 {
	if k.date == nil || k.pinned || r.HalfLife <= 0 || now.IsZero() {
		return 1
	}
	age := now.Sub(time.Unix(*k.date, 0))
	if age <= 0 {
		return 1
	}
	return r.Floor + (1-r.Floor)*math.Pow(0.5, float64(age)/float64(r.HalfLife))
}

// reachability says of a packed list of commits whether all of them left
// HEAD's history; each commit is asked for once.
func reachability(reachable func(string) bool) func([]byte) bool {
	known := map[string]bool{}
	return func(commits []byte) bool {
		list := unlist0(commits)
		if reachable == nil || len(list) == 0 {
			return false
		}
		return !slices.ContainsFunc(list, func(c string) bool {
			ok, asked := known[c]
			if !asked {
				ok = reachable(c)
				known[c] = ok
			}
			return ok
		})
	}
}

// pick makes hits of the best candidates: one for each entry, past the gate.
func pick(ctx context.Context, c *sql.Conn, found []*candidate, p *plan, q memory.Query, r Ranking) ([]memory.Hit, error) {
	get, err := c.PrepareContext(ctx, `SELECT text, terms, sum FROM chunks WHERE id=?`)
	if err != nil {
		return nil, err
	}
	defer get.Close()
	var hits []memory.Hit
	taken := map[string]bool{}
	for _, k := range found {
		if len(hits) == q.Limit {
			break
		}
		if taken[k.thing()] {
			continue
		}
		var text string
		var terms []byte
		var sum uint32
		if err := get.QueryRowContext(ctx, k.id).Scan(&text, &terms, &sum); err != nil {
			return nil, err
		}
		if checksum(text, terms) != sum {
			return nil, fmt.Errorf("%w: a text is not as it was written", errDamaged)
		}
		h := p.held(terms)
		taken[k.thing()] = true
		if q.Gate && !h.passes(r.Gate) {
			continue
		}
		hits = append(hits, k.hit(text, h))
	}
	return hits, nil
}

func (k *candidate) hit(text string, h held) memory.Hit {
	commits := unlist0(k.commits)
	if commits == nil {
		commits = []string{}
	}
	return memory.Hit{
		Path: k.path, StartLine: k.start, EndLine: k.stop, Heading: k.heading, Date: dateOf(k.date, k.zone), Commits: commits,
		Kind: memory.Kind(k.kind), Score: k.score, Text: text, EntryID: k.entry, Gone: k.gone,
		Explain: &memory.Explain{Keyword: k.keyword, Decay: k.decay, Importance: k.weight, Mass: h.mass, Terms: h.terms, Named: h.named},
	}
}
