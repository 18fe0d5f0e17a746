package index

import (
	"slices"

	"agentflow/index/rank"
	"agentflow/index/stems"
	"agentflow/index/store"
)

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
