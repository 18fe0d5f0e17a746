package factrank

import (
	"path"
	"slices"
	"strings"

	"agentflow/internal/words"
)

// asked is a task that is compared with the facts.
type asked struct {
	*Matcher
	*text
	title     *text // its first line
	likely    []File
	lead      bool // the text before a colon at the start has a word that no fact has
	dir       string
	kinds     set
	about     [64]float64
	aboutMass float64     // sum of the squares of about, weighted by rarity
	calls     [64]float64 // number of the task's kinds that call for each concept
	mass      float64     // sum of the weights of its words
	scores    []float64   // of facts, by words
	best      float64     // of scores
	near      []float64   // of facts, by words with the same beginning
	grouped   []float64   // of facts, by the scores of facts with the same headings or paths
	pairs     map[[2]int32]bool
	paths     []pathTerm
	pathMass  float64
}

// pathTerm is a term in the paths of likely files, with the highest chance of
// these files.
type pathTerm struct {
	term   int32
	chance float64
}

func (m *Matcher) ask(task Task) *asked {
	title, _, _ := strings.Cut(strings.TrimSpace(task.Text), "\n")
	a := &asked{Matcher: m, text: read(words.Fold(task.Text), m.vocab.look), title: read(words.Fold(title), m.vocab.look), dir: task.Dir, pairs: map[[2]int32]bool{}}
	a.likely = slices.DeleteFunc(slices.Clone(task.Files), func(f File) bool { return !(f.Chance > 0 && f.Chance <= 1) })
	a.kinds = kindsOf(a.text)
	a.about = a.strengths(a.title)
	if before, _, ok := strings.Cut(title, ":"); ok && strings.Count(before, " ") < 3 {
		a.lead = len(read(words.Fold(before), m.vocab.look).strange) > 0
	}
	for _, p := range a.follows {
		a.pairs[p] = true
	}
	for _, f := range a.likely {
		a.readPath(f)
	}
	for c, strength := range a.about {
		a.aboutMass += strength * a.rare[c] * strength * a.rare[c]
	}
	for k := range a.kinds.list() {
		for c := range callsFor()[k].list() {
			a.calls[c]++
		}
	}
	a.score()
	a.scoreNear()
	a.group()
	return a
}

// endings maps file endings to the concepts of the files.
var endings = readEndings(endingTable)

func readEndings(table string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(table)) {
		name, list, _ := strings.Cut(line, ":")
		for ending := range strings.FieldsSeq(list) {
			m[ending] = name
		}
	}
	return m
}

// fileAbout is the strength that a certain file gives to its concepts.
const fileAbout = 0.7

// readPath records the words of a likely path and its concepts.
func (a *asked) readPath(f File) {
	var about set
	if name, ok := endings[path.Ext(f.Path)]; ok {
		about = 1 << number(concepts(), name)
	}
	for _, t := range words.Scan(words.Fold(f.Path)) {
		w := a.vocab.look(t.Text)
		about |= w.concepts
		if w.term >= 0 {
			a.notePath(w.term, f.Chance)
		}
	}
	for c := range about.list() {
		a.about[c] = max(a.about[c], fileAbout*f.Chance)
	}
}

func (a *asked) notePath(term int32, chance float64) {
	at := slices.IndexFunc(a.paths, func(p pathTerm) bool { return p.term == term })
	if at < 0 {
		at = len(a.paths)
		a.paths = append(a.paths, pathTerm{term: term})
	}
	if rise := chance - a.paths[at].chance; rise > 0 {
		a.paths[at].chance = chance
		a.pathMass += rise * a.idf[term]
	}
}

// commonShare weighs a word that is common in software projects,
// relative to a telling word.
const commonShare = 0.3

// score scores facts by BM25.
func (a *asked) score() {
	const k1, b = 1.2, 0.5
	a.scores = make([]float64, len(a.facts))
	a.mass = float64(len(a.strange))
	for i, term := range a.terms {
		w := a.idf[term]
		if a.marks[i]&telling == 0 {
			w *= commonShare
		}
		a.mass += w
		for _, f := range a.found[term] {
			long := float64(len(a.facts[f].terms)) / max(1, a.usual)
			a.scores[f] += w * (k1 + 1) / (1 + k1*(1-b+b*long))
		}
	}
	for _, s := range a.scores {
		a.best = max(a.best, s)
	}
}

// ofBest returns a fact's share of the best score.
func (a *asked) ofBest(i int) float64 { return a.scores[i] / (a.best + 0.3) }

// scoreNear scores facts by telling words that begin like a word of the task.
func (a *asked) scoreNear() {
	a.near = make([]float64, len(a.facts))
	for i, term := range a.terms {
		if a.marks[i]&telling != 0 {
			a.addNear(a.vocab.stems[term])
		}
	}
	for _, stem := range a.strange {
		a.addNear(stem)
	}
}

func (a *asked) addNear(stem string) {
	if len(stem) < startLen {
		return
	}
	for _, term := range a.vocab.starts[stem[:startLen]] {
		if !slices.Contains(a.terms, term) {
			for _, f := range a.found[term] {
				a.near[f] += a.idf[term]
			}
		}
	}
}

// groupBy limits the best facts that raise the facts that have the same
// headings or paths.
const groupBy = 6

// group scores facts by the best facts that have the same headings or paths.
func (a *asked) group() {
	a.grouped = make([]float64, len(a.facts))
	for _, g := range order(a.scores)[:min(groupBy, len(a.facts))] {
		for i, f := range a.facts {
			if i != g && f.together(a.facts[g]) {
				a.grouped[i] = max(a.grouped[i], a.ofBest(g))
			}
		}
	}
}
