package index

import (
	"slices"

	"agentflow/index/rank"
	"agentflow/index/stems"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// feedbackName is the file that holds them; its text is not indexed.
const feedbackName = "memory/" + memory.FeedbackFile

type judgement struct {
	entry string // as memory.Hit.Thing names it
	terms []byte // of the task, packed
}

// judge looks up what was judged of the candidates; the query is as it was
// typed, as tasks are.
func (s *searcher) judge(found []*rank.Candidate) {
	js := rank.Judgements{Tasks: map[string][][]byte{}, IDF: map[uint32]float64{}, Useless: s.UselessWeight}
	for _, k := range found {
		k.Judged = 1
		js.Tasks[k.JudgedAs()] = nil
	}
	query := rank.Terms(rank.Beginning(s.Query.Text, s.QueryRunes))
	terms := slices.Clone(query)
	any := false
	s.each(func(scan scan) error {
		var j judgement
		if err := scan(&j.entry, &j.terms); err != nil {
			return err
		}
		if tasks, found := js.Tasks[j.entry]; found {
			any = true
			js.Tasks[j.entry] = append(tasks, j.terms)
			for h := range stems.All(j.terms) {
				terms = append(terms, rank.Term{Hash: h})
			}
		}
		return nil
	}, `SELECT entry, terms FROM judgements`)
	if !any {
		return
	}
	chunks := lookUp(s.statements, terms)
	for _, t := range terms {
		js.IDF[t.Hash] = rank.IDF(chunks, t.DF)
	}
	for _, k := range found {
		k.Judged = js.Weight(query, k.JudgedAs())
	}
}

// feedback reads the judgements of the feedback file, which has no text to be
// found.
func (c *cutter) feedback(text []byte) []judgement {
	var list []judgement
	for _, j := range markdown.ParseJudgements(text) {
		var task stems.Set
		for _, t := range rank.Terms(rank.Beginning(j.Task, c.o.Ranking.QueryRunes)) {
			task.Add(t.Hash)
		}
		list = append(list, judgement{j.Entry, task.Pack()})
	}
	return list
}

// replaceJudgements makes these the index's judgements. When several runs
// judge an entry alike, each counts.
func (w *writer) replaceJudgements(list []judgement) {
	w.exec(`DELETE FROM judgements`)
	for _, j := range list {
		w.exec(`INSERT INTO judgements VALUES(?,?)`, j.entry, j.terms)
	}
}
