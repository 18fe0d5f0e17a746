package factrank

import (
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"agentflow/internal/words"
)

// fact is a fact as the matcher keeps it.
type fact struct {
	Fact
	*text            // its own words
	scope  *text     // words of its headings and paths
	names  []string  // paths and base names in the text
	mass   float64   // of its telling terms
	code   bool      // it holds code
	about  []float64 // strengths of concepts
	topics []int     // concepts with a strength
	fixed  []Signal  // signals that no task changes
}

// New prepares a matcher that weighs so.
func (w *Weights) New(facts []Fact) *Matcher {
	m := &Matcher{weights: *w, vocab: newVocabulary()}
	learn := func(t words.Token) (word, bool) { return m.vocab.learn(t), true }
	for _, f := range facts {
		scope := strings.Join(f.Under, "\n") + "\n" + strings.Join(f.Paths, "\n")
		m.facts = append(m.facts, &fact{Fact: f, text: read(f.Text, learn), scope: read(scope, learn), names: pathsIn(f.Text), code: strings.Contains(f.Text, "`")})
	}
	for _, f := range m.facts {
		f.about = f.strengths(f.scope)
		for c, strength := range f.about {
			if strength > 0 {
				f.topics = append(f.topics, c)
			}
		}
	}
	m.count()
	for _, f := range m.facts {
		f.fixed = m.fixed(f)
	}
	return m
}

// count counts in how many facts terms and concepts are.
func (m *Matcher) count() {
	n := float64(len(m.facts))
	m.found = make([][]int32, len(m.vocab.stems))
	held := make([]float64, len(concepts().names))
	for i, f := range m.facts {
		for _, term := range f.terms {
			m.found[term] = append(m.found[term], int32(i))
		}
		for _, term := range f.scope.terms {
			if !slices.Contains(f.terms, term) {
				m.found[term] = append(m.found[term], int32(i))
			}
		}
		for c := range held {
			held[c] += f.about[c]
		}
		m.usual += float64(len(f.terms)) / n
	}
	m.idf = make([]float64, len(m.found))
	for term, in := range m.found {
		m.idf[term] = rarity(float64(len(in)), n)
	}
	for k := range kinds().names {
		n1 := 0.0
		for _, f := range m.facts {
			if f.kinds.has(k) {
				n1++
			}
		}
		m.rareKinds = append(m.rareKinds, rarity(n1, n))
	}
	for _, k := range held {
		m.rare = append(m.rare, rarity(k, n))
	}
	for _, f := range m.facts {
		for i, term := range f.terms {
			if f.telling[i] {
				f.mass += m.idf[term]
			}
		}
	}
}

// rarity is between 0, for what all n facts have, and 1, for what one of very many has.
func rarity(k, n float64) float64 {
	return math.Log(1+(n-k+0.5)/(k+0.5)) / math.Log(1+(n+0.5)/0.5)
}

// pathsIn returns the words of a text that look like paths or file names.
func pathsIn(s string) (list []string) {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\n`\"'(),;:<>[]", r) }) {
		w = strings.Trim(w, ".!?")
		if strings.Contains(w, "/") && !strings.Contains(w, "//") || path.Ext(w) != "" && len(path.Ext(w)) > 1 && !strings.ContainsAny(w, "=$%") {
			list = append(list, strings.TrimPrefix(w, "./"))
		}
	}
	return list
}

// covers says whether one of the fact's globs matches a path or a folder above it.
func (f *fact) covers(name string) bool {
	return slices.ContainsFunc(f.Paths, func(glob string) bool {
		glob = strings.Trim(strings.TrimPrefix(glob, "./"), "/")
		for at := name; at != "." && at != "/" && at != ""; at = path.Dir(at) {
			if ok, err := doublestar.Match(glob, at); ok && err == nil {
				return true
			}
		}
		return false
	})
}

// mentions says how well the text names a path: 1 for a path or its end, 0.5 for a
// folder above it.
func (f *fact) mentions(name string) float64 {
	best := 0.0
	for _, n := range f.names {
		n = strings.TrimSuffix(n, "/")
		switch {
		case n == "":
		case n == name || strings.HasSuffix(name, "/"+n):
			return 1
		case strings.HasPrefix(name, n+"/") || strings.Contains(name, "/"+n+"/"):
			best = 0.5
		}
	}
	return best
}

// standing is what use and age add to the log-odds of a fact. The sets have neither, so
// that these are chosen and not fitted: ten uses double the odds, three years halve them.
func (f *fact) standing(now time.Time) float64 {
	z := 0.3 * math.Log1p(float64(max(0, f.Uses)))
	if !f.Time.IsZero() && !now.IsZero() {
		years := max(0, now.Sub(f.Time).Hours()/24/365)
		z -= min(0.7, 0.23*years)
	}
	return z
}
