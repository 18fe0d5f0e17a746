package index

import (
	"context"
	"database/sql"
	"fmt"

	"agentflow/memory"
)

// hits makes hits of the picked candidates.
func (s *searcher) hits(ctx context.Context, c *sql.Conn, picked []*candidate) ([]memory.Hit, error) {
	get, err := c.PrepareContext(ctx, `SELECT text, sum FROM chunks WHERE id=?`)
	if err != nil {
		return nil, err
	}
	defer get.Close()
	list := make([]memory.Hit, len(picked))
	for i, k := range picked {
		if list[i], err = k.hit(ctx, get); err != nil {
			return nil, err
		}
		if k.origin == nil {
			continue
		}
		k.origin.score = k.score
		origin, err := k.origin.hit(ctx, get)
		if err != nil {
			return nil, err
		}
		list[i].Origin = &origin
	}
	return list, nil
}

// hit makes a hit of the candidate; get reads its text.
func (k *candidate) hit(ctx context.Context, get *sql.Stmt) (memory.Hit, error) {
	var text string
	var sum uint32
	if err := get.QueryRowContext(ctx, k.id).Scan(&text, &sum); err != nil {
		return memory.Hit{}, err
	}
	if checksum(text, k.terms) != sum {
		return memory.Hit{}, fmt.Errorf("%w: a text is not as it was written", errDamaged)
	}
	commits := unlist0(k.commits)
	if commits == nil {
		commits = []string{}
	}
	path, brought := cutMark(k.path)
	return memory.Hit{
		Path: path, FromRepository: brought, StartLine: k.start, EndLine: k.stop, Heading: k.heading, Date: dateOf(k.date, k.zone), Commits: commits,
		Kind: memory.Kind(k.kind), Score: k.score, Text: text, EntryID: k.entry, Source: k.source, Namespace: k.ns, Gone: k.gone, Undone: k.undone,
		Explain: &memory.Explain{Keyword: k.keyword, Vector: k.vector, Decay: k.decay, Importance: k.weight, Files: k.files, Judgement: k.judged,
			Evidence: k.evidence, Mass: k.mass, Terms: k.held.terms, Named: k.named},
	}, nil
}
