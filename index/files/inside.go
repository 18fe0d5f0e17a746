package files

import "agentflow/index/contents"

// holds: BM25 (k1 1.2, b .75) of the task and the distinct stems of the
// identifiers in the file. Each stem counts once.
func (m *model) holds() []float64 {
	if m.contents == nil {
		return m.zero()
	}
	return m.inside(m.contents.Held, m.contents.MeanHeld, func(t contents.Term) []int { return t.Held })
}

// defines: the same with the names that it defines.
func (m *model) defines() []float64 {
	if m.contents == nil {
		return m.zero()
	}
	return m.inside(m.contents.Defined, m.contents.MeanDefined, func(t contents.Term) []int { return t.Defined })
}

func (m *model) inside(length []int, mean float64, of func(contents.Term) []int) []float64 {
	x := m.zero()
	for _, t := range m.contents.Terms {
		idf := rarity(float64(m.contents.Files), float64(len(of(t))))
		for _, n := range of(t) {
			if p := m.inFiles[n]; p >= 0 {
				x[p] += idf * 2.2 / (1 + 1.2*(0.25+0.75*float64(length[n])/max(mean, 1e-9)))
			}
		}
	}
	return x
}
