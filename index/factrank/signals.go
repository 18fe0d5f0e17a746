package factrank

import (
	"math"
	"slices"
	"strings"

	"agentflow/internal/words"
)

// The plain signals of a task and a fact. Behind them come blocks of signals that are
// 1 or 0.
const (
	bias = iota
	match
	rarest
	ofTask
	ofFact
	ofBest
	common
	named
	pairs
	fuzzy
	scoped
	titled
	alike
	alikeBest
	spread
	grouped
	inPaths
	offPaths
	hasPaths
	mentioned
	fileWords
	length
	specific
	hasCode
	hasNames
	size
	here
	plainness
	sameKind
	plain // how many
)

// SignalNames are the names of the signals of a task and a fact, by index.
func SignalNames() []string {
	list := strings.Fields(`bias match rarest ofTask ofFact ofBest common named pairs fuzzy scoped titled alike alikeBest spread grouped
		inPaths offPaths hasPaths mentioned fileWords length specific hasCode hasNames size here plainness sameKind`)
	c, k, a := concepts().names, kinds().names, acts().names
	for _, block := range [][2][]string{{{"fact"}, c}, {{"fact"}, a}, {{"both"}, k}, {{"both"}, c}, {k, c}, {k, a}} {
		for _, first := range block[0] {
			for _, second := range block[1] {
				list = append(list, first+"/"+second)
			}
		}
	}
	return list
}

// Signals are those of a task, and of the task with each fact.
type Signals struct {
	Task  []Signal
	Facts [][]Signal
}

// Signals returns what the models weigh.
func (m *Matcher) Signals(task Task) Signals { return m.examine(task) }

// asked is a task that is being examined.
type asked struct {
	*Matcher
	Task
	text      *text
	title     *text
	mass      float64   // of its telling terms
	score     []float64 // of facts, by words
	best      float64
	fuzzy     []float64 // of facts
	spread    []float64
	group     []float64
	files     map[int32]float64 // terms of likely files
	fileMass  float64
	neighbors map[[2]int32]bool
	about     []float64
	kinds     conceptSet
}

func (m *Matcher) examine(task Task) Signals {
	a := &asked{Matcher: m, Task: task}
	a.Files = valid(task.Files)
	a.text = read(task.Text, m.vocab.look)
	title, _, _ := strings.Cut(strings.TrimSpace(task.Text), "\n")
	a.title = read(title, m.vocab.look)
	a.about = a.text.strengths(a.title)
	a.kinds = kindsOf(a.text)
	a.neighbors = map[[2]int32]bool{}
	for _, p := range a.text.follows {
		a.neighbors[p] = true
	}
	a.scores()
	a.fuzz()
	a.spreads()
	a.fileTerms()
	out := Signals{Task: a.ownSignals()}
	for i := range m.facts {
		out.Facts = append(out.Facts, a.signals(i))
	}
	return out
}

// valid is files without those of which the chance is none.
func valid(files []File) []File {
	return slices.DeleteFunc(slices.Clone(files), func(f File) bool { return !(f.Chance > 0 && f.Chance <= 1) })
}

// scores scores facts by BM25.
func (a *asked) scores() {
	const k1, b = 1.2, 0.5
	a.score = make([]float64, len(a.facts))
	for i, term := range a.text.terms {
		w := a.idf[term]
		if !a.text.telling[i] {
			w *= 0.3
		}
		a.mass += w
		for _, f := range a.found[term] {
			long := float64(len(a.facts[f].terms)) / max(1, a.usual)
			a.score[f] += w * (k1 + 1) / (1 + k1*(1-b+b*long))
		}
	}
	a.mass += float64(len(a.text.strange))
	for _, s := range a.score {
		a.best = max(a.best, s)
	}
}

// fuzz scores facts by words that begin alike and are not the same.
func (a *asked) fuzz() {
	a.fuzzy = make([]float64, len(a.facts))
	near := func(stem string, not int32) {
		if len(stem) < startLen {
			return
		}
		for _, term := range a.vocab.starts[stem[:startLen]] {
			if term == not || slices.Contains(a.text.terms, term) {
				continue
			}
			for _, f := range a.found[term] {
				a.fuzzy[f] += a.idf[term]
			}
		}
	}
	for i, term := range a.text.terms {
		if a.text.telling[i] {
			near(a.vocab.stems[term], term)
		}
	}
	for _, stem := range a.text.strange {
		near(stem, none)
	}
}

// spreads scores facts by the best matches that they are like.
func (a *asked) spreads() {
	const look = 6
	a.spread = make([]float64, len(a.facts))
	a.group = make([]float64, len(a.facts))
	if a.best == 0 {
		return
	}
	order := a.byScore()
	for _, g := range order[:min(look, len(order))] {
		share := a.score[g] / (a.best + 0.3)
		f := a.facts[g]
		for i, term := range f.terms {
			if !f.telling[i] {
				continue
			}
			for _, other := range a.found[term] {
				if int(other) != g {
					a.spread[other] += share * a.idf[term] / max(1, f.mass)
				}
			}
		}
	}
	for i, f := range a.facts {
		for _, g := range order[:min(look, len(order))] {
			if g != i && f.together(a.facts[g]) {
				a.group[i] = max(a.group[i], a.score[g]/(a.best+0.3))
			}
		}
	}
}

// together says whether two facts are under one heading or about the same paths.
func (f *fact) together(g *fact) bool {
	return len(f.Paths) > 0 && slices.Equal(f.Paths, g.Paths) || len(f.Under) > 0 && slices.Equal(f.Under, g.Under)
}

func (a *asked) byScore() []int {
	order := make([]int, len(a.facts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		switch {
		case a.score[x] > a.score[y]:
			return -1
		case a.score[x] < a.score[y]:
			return 1
		}
		return 0
	})
	return order
}

// fileTerms collects the words of the paths of likely files.
func (a *asked) fileTerms() {
	a.files = map[int32]float64{}
	for _, f := range a.Files {
		for _, t := range words.Scan(words.Fold(f.Path)) {
			if w, ok := a.vocab.look(t); ok && w.term >= 0 {
				a.files[w.term] = max(a.files[w.term], f.Chance)
			}
		}
	}
	for term, chance := range a.files {
		a.fileMass += chance * a.idf[term]
	}
}

// signals are those of the task and one fact.
func (a *asked) signals(i int) []Signal {
	f := a.facts[i]
	var x [plain]float64
	a.lexical(i, &x)
	a.conceptual(f, &x)
	x[spread] = min(3, a.spread[i])
	x[grouped] = a.group[i]
	a.filed(f, &x)
	out := make([]Signal, 0, 2*plain+len(f.fixed)*4)
	for at, v := range x {
		if v != 0 {
			out = append(out, Signal{int32(at), float32(v)})
		}
	}
	out = append(out, f.fixed...)
	return a.crossed(f, out)
}

func (a *asked) lexical(i int, x *[plain]float64) {
	f := a.facts[i]
	shared := 0.0
	for at, term := range a.text.terms {
		in := slices.Index(f.terms, term)
		if in < 0 {
			if slices.Contains(f.scope.terms, term) {
				x[scoped] += a.idf[term]
			}
			continue
		}
		idf := a.idf[term]
		if !a.text.telling[at] {
			x[common] += idf
			continue
		}
		shared += idf
		x[rarest] = max(x[rarest], idf)
		if a.text.named[at] && f.named[in] {
			x[named] += idf
		}
		if slices.Contains(a.title.terms, term) {
			x[titled] += idf
		}
	}
	for _, p := range f.follows {
		if a.neighbors[p] {
			x[pairs]++
		}
	}
	x[match] = math.Log1p(a.score[i])
	x[ofTask] = shared / (a.mass + 2)
	x[ofFact] = shared / (f.mass + 2)
	x[ofBest] = a.score[i] / (a.best + 0.3)
	x[common] = math.Log1p(x[common])
	x[scoped] = math.Log1p(x[scoped])
	x[titled] = math.Log1p(x[titled])
	x[named] = math.Log1p(x[named])
	x[pairs] = math.Log1p(x[pairs])
	x[fuzzy] = math.Log1p(a.fuzzy[i])
}

func (a *asked) conceptual(f *fact, x *[plain]float64) {
	sum, mine, its := 0.0, 0.0, 0.0
	for c, rare := range a.rare {
		p, q := a.about[c]*rare, f.about[c]*rare
		mine += p * p
		its += q * q
		sum += p * q
		x[alikeBest] = max(x[alikeBest], a.about[c]*f.about[c]*rare)
	}
	if sum > 0 {
		x[alike] = sum / math.Sqrt(mine*its)
	}
	for k, rare := range a.rareKinds {
		if (a.text.kinds & f.kinds).has(k) {
			x[sameKind] += rare
		}
	}
}

func (a *asked) filed(f *fact, x *[plain]float64) {
	if len(f.Paths) > 0 {
		x[hasPaths] = 1
	}
	for _, file := range a.Files {
		if len(f.Paths) > 0 && f.covers(file.Path) {
			x[inPaths] = max(x[inPaths], file.Chance)
		}
		if len(f.names) > 0 {
			x[mentioned] = max(x[mentioned], file.Chance*f.mentions(file.Path))
		}
	}
	if len(f.Paths) > 0 && len(a.Files) > 0 && x[inPaths] == 0 {
		x[offPaths] = 1
	}
	if a.Dir != "" && len(f.Paths) > 0 && f.covers(a.Dir+"/x") {
		x[here] = 1
	}
	for term, chance := range a.files {
		if slices.Contains(f.terms, term) || slices.Contains(f.scope.terms, term) {
			x[fileWords] += chance * a.idf[term]
		}
	}
	x[fileWords] /= a.fileMass + 1
}

// fixed are the signals of a fact for every task.
func (m *Matcher) fixed(f *fact) []Signal {
	out := []Signal{
		{bias, 1},
		{length, float32(math.Log1p(float64(f.count)))},
		{specific, float32(f.mass / float64(len(f.terms)+1))},
		{size, float32(math.Log(float64(len(m.facts))))},
	}
	if f.code {
		out = append(out, Signal{hasCode, 1})
	}
	if len(f.names) > 0 {
		out = append(out, Signal{hasNames, 1})
	}
	out = append(out, Signal{plainness, float32(f.common) / float32(f.count+1)})
	at := int32(plain)
	for c, strength := range f.about {
		if strength > 0 {
			out = append(out, Signal{at + int32(c), float32(strength)})
		}
	}
	at += int32(len(concepts().names))
	for c := range acts().names {
		if f.acts.has(c) {
			out = append(out, Signal{at + int32(c), 1})
		}
	}
	return out
}

// How much the signals of blocks weigh: the smaller, the more evidence a weight of theirs
// takes.
const (
	bothScale = 0.5
	kindScale = 0.4
)

// crossed adds the signals of kinds of tasks with kinds of facts.
func (a *asked) crossed(f *fact, out []Signal) []Signal {
	nc, nk, na := len(concepts().names), len(kinds().names), len(acts().names)
	at := plain + nc + na
	add := func(i int, v float64) { out = append(out, Signal{int32(at + i), float32(v)}) }
	for k := range nk {
		if (a.kinds & f.kinds).has(k) {
			add(k, bothScale)
		}
	}
	at += nk
	for _, c := range f.topics {
		if a.about[c] > 0 {
			add(c, bothScale*f.about[c]*a.about[c])
		}
	}
	at += nc
	for k := range nk {
		if !a.kinds.has(k) {
			continue
		}
		for _, c := range f.topics {
			add(k*nc+c, kindScale*f.about[c])
		}
	}
	at += nk * nc
	for k := range nk {
		if !a.kinds.has(k) {
			continue
		}
		for c := range na {
			if f.acts.has(c) {
				add(k*na+c, kindScale)
			}
		}
	}
	return out
}
