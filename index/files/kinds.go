package files

import "math"

// kindByWords: whether the words of the task are those of entries that touch this
// kind of file. With d = 2^(−age/200), an entry has a = Σ w(t)·d/(2 + Σ d of the
// entries with t) over the stems of its title that the task holds; then
// ln((share of the kind in a + .02)/(share of the kind in all + .02)).
func kindByWords(m *model) []float64 {
	with, df := make([]float64, len(m.query.words)), make([]float64, len(m.query.words))
	m.overEntries(200, func(e *entry, left float64) {
		for t := e.title; t != 0; t = t.rest() {
			with[t.first()] += left
			df[t.first()]++
		}
	})
	weight := rarities(float64(len(m.entries)), df)
	for i := range weight {
		weight[i] /= 2 + with[i]
	}
	of, all := make([]float64, len(m.kinds)), 0.0
	m.overEntries(200, func(e *entry, left float64) {
		if a := sum(e.title, weight) * left * e.weight; a > 0 {
			for _, p := range m.pathsOf(e) {
				of[m.paths[p].kind] += a
				all += a
			}
		}
	})
	return m.byKind(func(kind int32, usual float64) float64 {
		return math.Log((ratio(of[kind], all) + 0.02) / (usual + 0.02))
	})
}

// kindByType: the same of the entries with the title type of the task
// ("docs: …"), each with 2^(−age/200), smoothed by two usual ones.
func kindByType(m *model) []float64 {
	of, all := make([]float64, len(m.kinds)), 0.0
	m.overEntries(200, func(e *entry, left float64) {
		if !e.kind {
			return
		}
		for _, p := range m.pathsOf(e) {
			of[m.paths[p].kind] += left * e.weight
			all += left * e.weight
		}
	})
	if all == 0 {
		return m.zero()
	}
	return m.byKind(func(kind int32, usual float64) float64 {
		return math.Log(((of[kind]+2*usual)/(all+2) + 0.02) / (usual + 0.02))
	})
}

// byKind gives each file a number that depends on its kind, and on how great a
// share of all touches is of that kind.
func (m *model) byKind(number func(kind int32, usual float64) float64) []float64 {
	touches, all := make([]float64, len(m.kinds)), 0.0
	for i := range m.paths {
		touches[m.paths[i].kind] += float64(m.paths[i].touches)
		all += float64(m.paths[i].touches)
	}
	of := make([]float64, len(m.kinds))
	for kind := range of {
		of[kind] = number(int32(kind), ratio(touches[kind], all))
	}
	x := m.zero()
	for i := range x {
		x[i] = of[m.paths[i].kind]
	}
	return x
}

func ratio(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

// scope: Σ 2^(−age/60)/√n over the entries of the task's scope that name the
// file.
func scope(m *model) []float64 {
	x := m.zero()
	m.overEntries(60, func(e *entry, left float64) {
		if !e.scope {
			return
		}
		for _, p := range m.pathsOf(e) {
			x[p] += left * e.weight
		}
	})
	return x
}
