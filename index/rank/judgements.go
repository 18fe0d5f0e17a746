package rank

import "agentflow/index/stems"

// likeTask is how alike a query and a judged task must be, 0 to 1: twice the
// idf mass they share over the sum of both (Dice 1945, weighted). One word of
// a task of four is not enough. Half of its words are, if the query has no others.
const likeTask = 0.5

// Judgements are statements that an entry was useless for a task. They count against the
// entry for queries like that task, and for no others.
type Judgements struct {
	Tasks   map[string][][]byte // packed stems of the tasks, by entry
	IDF     map[uint32]float64  // of every stem in them and in the query
	Useless float64             // Ranking.UselessWeight
}

// Weight returns the factor for the score of entry in a query: 1 unless the entry was
// useless for a task like the query.
func (js Judgements) Weight(query []Term, entry string) float64 {
	weight := 1.0
	for _, task := range js.Tasks[entry] {
		if js.alike(query, task) >= likeTask {
			weight *= js.Useless
		}
	}
	return weight
}

// alike compares a query with a packed task.
func (js Judgements) alike(query []Term, task []byte) float64 {
	shared, sum := 0.0, 0.0
	for _, t := range query {
		sum += js.IDF[t.Hash]
		if stems.Has(task, t.Hash) {
			shared += js.IDF[t.Hash]
		}
	}
	for h := range stems.All(task) {
		sum += js.IDF[h]
	}
	return share(2*shared, sum)
}
