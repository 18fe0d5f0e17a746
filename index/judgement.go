package index

import (
	"context"
	"database/sql"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// A judgement says that an entry was useless for a task. It counts against
// the entry for queries like that task, and for no others.

// feedbackName is the file that holds them; its text is not indexed.
const feedbackName = "memory/" + memory.FeedbackFile

// likeTask is how alike a query and a judged task must be, 0 to 1: twice the
// idf mass they share over the sum of both (Dice 1945, weighted). One word of
// a task of four is not like it; half of its words with none beside them are.
const likeTask = 0.5

// judgement is what the table holds of one.
type judgement struct {
	entry string // as memory.Hit.Thing names it
	terms []byte // of the task, packed
}

// judgements are those of the entries at hand.
type judgements struct {
	terms   map[string][][]byte // of the tasks, by entry
	idf     map[uint32]float64  // of every term in them and in the query
	useless float64             // what one takes of a score: Ranking.UselessWeight
}

// weight is what the score of entry is multiplied by for a query: 1 unless a
// task like it had no use for the entry.
func (js judgements) weight(query []term, entry string) float64 {
	weight := 1.0
	for _, task := range js.terms[entry] {
		if js.alike(query, task) >= likeTask {
			weight *= js.useless
		}
	}
	return weight
}

// alike compares a query with a packed task.
func (js judgements) alike(query []term, task []byte) float64 {
	shared, sum := 0.0, 0.0
	for _, t := range query {
		sum += t.idf
		if holds(task, t.hash) {
			shared += t.idf
		}
	}
	for h := range unpack(task) {
		sum += js.idf[h]
	}
	if sum == 0 {
		return 0
	}
	return 2 * shared / sum
}

// judge looks up what was judged of the candidates; the query is as it was
// typed, as tasks are.
func judge(ctx context.Context, c *sql.Conn, found []*candidate, query []term, r Ranking) error {
	js := judgements{terms: map[string][][]byte{}, idf: map[uint32]float64{}, useless: r.UselessWeight}
	for _, k := range found {
		k.judged = 1
		js.terms[k.judgedAs()] = nil
	}
	any, err := js.load(ctx, c, query)
	if err != nil || !any {
		return err
	}
	for i, t := range query {
		query[i].idf = js.idf[t.hash]
	}
	for _, k := range found {
		k.judged = js.weight(query, k.judgedAs())
	}
	return nil
}

// judgedAs names a candidate as judgements do.
func (k *candidate) judgedAs() string {
	h := memory.Hit{EntryID: k.entry, Source: k.source, Path: k.path, Heading: k.heading, StartLine: k.start}
	return h.Thing()
}

// load reads the judgements of the entries that are keys of js.terms.
func (js judgements) load(ctx context.Context, c *sql.Conn, query []term) (any bool, err error) {
	terms := slices.Clone(query)
	err = each(ctx, c, func(scan scan) error {
		var j judgement
		if err := scan(&j.entry, &j.terms); err != nil {
			return err
		}
		tasks, found := js.terms[j.entry]
		if !found {
			return nil
		}
		any = true
		js.terms[j.entry] = append(tasks, j.terms)
		for h := range unpack(j.terms) {
			if _, known := js.idf[h]; !known {
				js.idf[h] = 0
				terms = append(terms, term{hash: h})
			}
		}
		return nil
	}, `SELECT entry, terms FROM judgements`)
	if err != nil || !any {
		return false, err
	}
	chunks, err := lookUp(ctx, c, terms)
	for _, t := range terms {
		js.idf[t.hash] = idf(chunks, t.df)
	}
	return true, err
}

// feedback reads the judgements of the feedback file, which has no text to be
// found.
func (c *cutter) feedback(text []byte) []judgement {
	var list []judgement
	for _, j := range markdown.ParseJudgements(text) {
		var t termSet
		for _, term := range parseQuery(j.Task, c.o.Ranking.QueryRunes) {
			t.hashes = append(t.hashes, term.hash)
		}
		list = append(list, judgement{j.Entry, t.pack()})
	}
	return list
}

// judge makes these the index's judgements. One said of an entry by several
// runs counts as often.
func (w *writer) judge(ctx context.Context, list []judgement) error {
	if _, err := w.c.ExecContext(ctx, `DELETE FROM judgements`); err != nil {
		return err
	}
	for _, j := range list {
		if _, err := w.c.ExecContext(ctx, `INSERT INTO judgements VALUES(?,?)`, j.entry, j.terms); err != nil {
			return err
		}
	}
	return nil
}
