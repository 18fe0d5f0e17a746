package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"agentflow/app"
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// SearchOrder is the order of the hits of a search.
type SearchOrder string

// The orders of hits. Of equal ones the more relevant comes first.
const (
	ByRelevance  SearchOrder = "relevance"  // as ranking has them: the default
	ByTime       SearchOrder = "time"       // newest first, undated text last
	ByImportance SearchOrder = "importance" // most important first
	ByScore      SearchOrder = "score"      // likeliest of use first
)

// SearchOrders lists all orders.
var SearchOrders = []SearchOrder{ByRelevance, ByTime, ByImportance, ByScore}

// SortedHits limits the most relevant hits that an order other than ByRelevance
// sorts. Those after them keep their order.
const SortedHits = 200

// A search list begins with a window of firstWindow hits. If these are not enough, each
// further window is widening times as large, and its new hits are appended.
const (
	firstWindow = 20
	widening    = 4
)

// pageOf returns the hits of a request from its offset on. Ranking depends on the
// requested number of hits, so each page is cut from one list that does not depend on it:
// see widened. While memory is unchanged, the pages of one query neither overlap nor
// leave anything out.
func pageOf(ctx context.Context, s *app.Repo, q retrieval.Query, req SearchRequest) ([]retrieval.Hit, []string, error) {
	offset := min(req.Offset, math.MaxInt32)
	end := offset + min(req.Limit, math.MaxInt32)
	most := end
	if req.Sort != ByRelevance {
		most = max(most, SortedHits)
	}
	hits, degraded, err := widened(ctx, s, q, most, func(h retrieval.Hit) bool {
		return h.Score >= *req.MinScore && (req.Author == "" || req.Author == h.Author || req.Author == h.Person)
	})
	req.Sort.sort(hits[:min(len(hits), SortedHits)])
	return hits[min(offset, len(hits)):min(end, len(hits))], degraded, err
}

// widened returns the first wanted hits of a query, at least most if there
// are so many: the hits of a window, then the new hits of wider ones, each once.
func widened(ctx context.Context, s *app.Repo, q retrieval.Query, most int, wanted func(retrieval.Hit) bool) (list []retrieval.Hit, degraded []string, err error) {
	seen := map[string]bool{}
	for q.Limit = firstWindow; ; q.Limit *= widening {
		found, lines, err := Find(ctx, s, q)
		for _, line := range lines {
			if !slices.Contains(degraded, line) {
				degraded = append(degraded, line)
			}
		}
		for _, h := range found {
			if k := standsFor(h); !seen[k] {
				seen[k] = true
				if wanted(h) {
					list = append(list, h)
				}
			}
		}
		if err != nil || len(list) >= most || len(found) < q.Limit {
			return list, degraded, err
		}
	}
}

// standsFor returns a name of the thing that a hit represents: an entry together with the facts that
// were moved out of it, or a passage.
func standsFor(h retrieval.Hit) string {
	if h.Namespace == memory.ProjectNamespace && h.EntryID != "" || h.Source != "" {
		return h.Thing()
	}
	return fmt.Sprintf("%s:%d", h.Path, h.StartLine)
}

func (o SearchOrder) sort(hits []retrieval.Hit) {
	var compare func(a, b retrieval.Hit) int
	switch o {
	case ByTime:
		compare = func(a, b retrieval.Hit) int { return b.Date.Compare(a.Date) }
	case ByImportance:
		compare = func(a, b retrieval.Hit) int { return cmp.Compare(b.Importance, a.Importance) }
	case ByScore:
		compare = func(a, b retrieval.Hit) int { return cmp.Compare(b.Score, a.Score) }
	default:
		return
	}
	slices.SortStableFunc(hits, compare)
}
