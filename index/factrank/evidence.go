package factrank

import (
	"math"
	"slices"
)

// byWords sets the signals of the words that the task and fact i share.
func (a *asked) byWords(i int, x *[plainSignals]float64) {
	f := a.facts[i]
	shared := 0.0
	for at, term := range a.terms {
		idf := a.idf[term]
		in := slices.Index(f.terms, term)
		switch {
		case in < 0 && slices.Contains(f.scope.terms, term):
			x[scoped] += idf
		case in < 0:
		case a.marks[at]&telling == 0:
			x[common] += idf
		default:
			shared += idf
			x[rarest] = max(x[rarest], idf)
			x[named] += idf * one(a.marks[at]&f.marks[in]&isName != 0)
			x[titled] += idf * one(slices.Contains(a.title.terms, term))
			x[headed] += idf * one(slices.Contains(f.head.terms, term))
		}
	}
	for _, p := range f.follows {
		x[neighbours] += one(a.pairs[p])
	}
	x[match], x[begins] = a.scores[i], a.near[i]
	for _, s := range []int{match, common, named, neighbours, begins, scoped, titled} {
		x[s] = math.Log1p(x[s])
	}
	x[ofBest] = a.ofBest(i)
	x[ofTask] = shared / (a.mass + 2)
	x[ofFact] = shared / (f.mass + 2)
	x[grouped] = a.grouped[i]
}

// byConcepts sets the signals of the concepts that the task and a fact share.
func (a *asked) byConcepts(f *fact, x *[plainSignals]float64) {
	both, its := 0.0, 0.0
	for _, c := range f.topics {
		p, q := a.about[c]*a.rare[c], f.about[c]*a.rare[c]
		both += p * q
		its += q * q
		x[alikeBest] = max(x[alikeBest], a.about[c]*f.about[c]*a.rare[c])
		x[alikeShare] += a.about[c] * f.about[c] / (a.held[c] + 1)
		x[alikeHead] += a.about[c] * f.headAbout[c] * a.rare[c]
	}
	if both > 0 {
		x[alike] = both / math.Sqrt(a.aboutMass*its)
	}
	x[alikePlain] = x[alikeBest] * f.plainness()
	x[alikeOblige] = x[alikeBest] * one(f.acts.has(obligeAct))
}

// plainness returns the share of a fact's words that are common in any software
// project.
func (f *fact) plainness() float64 { return float64(f.common) / float64(f.count+1) }

// bySenses sets the signals of the senses and kinds of work that the task and a
// fact share.
func (a *asked) bySenses(f *fact, x *[plainSignals]float64) {
	shared, whole := 0.0, 0.0
	for s := range f.senses.list() {
		rare := a.Matcher.senses[s]
		whole += rare
		if a.text.senses.has(s) {
			shared += rare
			x[sensedBest] = max(x[sensedBest], rare)
		}
	}
	x[sensed] = math.Log1p(shared)
	x[sensedFact] = shared / (whole + 1)
	for k := range (a.kinds & f.kinds).list() {
		x[sameKind] += a.Matcher.kinds[k]
	}
	for k := range (a.kinds & f.head.kinds).list() {
		x[sameKindHead] += a.Matcher.kinds[k]
	}
}

// byCalls sets the signals of the fact's concepts that the kinds of the task
// call for.
func (a *asked) byCalls(f *fact, x *[plainSignals]float64) {
	for _, c := range f.topics {
		n := a.calls[c]
		if n == 0 {
			continue
		}
		x[called] = max(x[called], f.about[c])
		x[calledSum] += f.about[c] * n
		x[calledShare] += f.about[c] / (a.held[c] + 1)
		if f.headAbout[c] > 0 {
			x[calledHead] = max(x[calledHead], f.headAbout[c])
			x[calledHeadFew] = max(x[calledHeadFew], 3/(a.held[c]+3))
		}
	}
	x[calledSum] = math.Log1p(x[calledSum])
	x[calledPlain] = x[called] * f.plainness()
	x[calledOblige] = x[called] * one(f.acts.has(obligeAct))
	x[calledCode] = x[called] * one(f.code)
	x[calledPaths] = x[called] * one(len(f.Paths) > 0)
}

// byFiles compares the likely files with the globs and paths of a fact.
func (a *asked) byFiles(f *fact, x *[plainSignals]float64) {
	for _, file := range a.likely {
		if f.covers(file.Path) {
			x[inPaths] = max(x[inPaths], file.Chance)
		}
		x[mentioned] = max(x[mentioned], file.Chance*f.mentions(file.Path))
	}
	x[offPaths] = one(len(f.Paths) > 0 && len(a.likely) > 0 && x[inPaths] == 0)
	x[here] = one(a.dir != "" && f.covers(a.dir+"/x"))
	for _, p := range a.paths {
		if slices.Contains(f.terms, p.term) || slices.Contains(f.scope.terms, p.term) {
			x[pathWords] += p.chance * a.idf[p.term]
		}
	}
	x[pathWords] /= a.pathMass + 1
}
