package index

import (
	"agentflow/index/rank"
	"agentflow/index/stems"
	"agentflow/index/store"
	"agentflow/memory/markdown"
)

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
