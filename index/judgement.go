package index

import (
	"slices"

	"agentflow/index/rank"
	"agentflow/index/stems"
	"agentflow/index/store"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// feedbackName is the file of judgements; its text is not indexed.
const feedbackName = "memory/" + memory.FeedbackFile

// judge sets the weights of the candidates by earlier judgements of similar
// tasks. It compares the query as typed, because judgements record the task as
// typed.
func (s *searcher) judge(found []*rank.Candidate) {
	js := rank.Judgements{Tasks: map[string][][]byte{}, IDF: map[uint32]float64{}, Useless: s.Search.UselessWeight}
	for _, k := range found {
		k.Judged = 1
		js.Tasks[k.JudgedAs()] = nil
	}
	query := rank.Terms(rank.Beginning(s.Search.Query.Text, s.Search.QueryRunes))
	terms := slices.Clone(query)
	any := false
	s.view.Judgements(func(j store.Judgement) {
		if tasks, found := js.Tasks[j.Entry]; found {
			any = true
			js.Tasks[j.Entry] = append(tasks, j.Terms)
			for h := range stems.All(j.Terms) {
				terms = append(terms, rank.Term{Hash: h})
			}
		}
	})
	if !any {
		return
	}
	chunks := lookUp(s.view, terms)
	for _, t := range terms {
		js.IDF[t.Hash] = rank.IDF(chunks, t.DF)
	}
	for _, k := range found {
		k.Judged = js.Weight(query, k.JudgedAs())
	}
}

// feedback reads the judgements of the feedback file, which has no searchable
// text. If several runs judge an entry alike, each counts.
func (c *cutter) feedback(text []byte) []store.Judgement {
	var list []store.Judgement
	for _, j := range markdown.ParseJudgements(text) {
		var task stems.Set
		for _, t := range rank.Terms(rank.Beginning(j.Task, c.o.Ranking.QueryRunes)) {
			task.Add(t.Hash)
		}
		list = append(list, store.Judgement{Entry: j.Entry, Terms: task.Pack()})
	}
	return list
}
