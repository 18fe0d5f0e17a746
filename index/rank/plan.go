package rank

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"agentflow/index/stems"
	"agentflow/internal/words"
)

// Term is one distinct stem of a query.
type Term struct {
	Text      string // as in the query, lower-cased
	Hash      uint32
	Named     bool    // a path or identifier
	Elsewhere bool    // a file of the work tree holds it, or the query is about more than the index
	DF        int     // chunks that hold it
	IDF       float64 // how telling that makes it
	tells     float64 // see telling
	used      bool    // the chunks that hold it are looked up
}

// maxTerms limits the terms of one query. It is far more than QueryRunes holds
// unless a user raises that.
const maxTerms = 128

// Beginning returns the part of a query that counts: its first line and the rest, each
// up to so many runes.
func Beginning(text string, runes int) string {
	title, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return words.FirstRunes(title, runes) + "\n" + words.FirstRunes(rest, runes)
}

// Terms returns the distinct terms of a query. Nothing in it is syntax.
func Terms(query string) []Term {
	var terms []Term
	at := map[uint32]int{}
	for _, token := range words.WithoutChatter(words.Tokenize(query)) {
		h := stems.Hash(words.Stem(token.Text))
		if i, ok := at[h]; ok {
			terms[i].Named = terms[i].Named || token.Named
			continue
		}
		if len(terms) == maxTerms {
			break
		}
		at[h] = len(terms)
		terms = append(terms, Term{Text: token.Text, Hash: h, Named: token.Named})
	}
	return terms
}

// Plan is a query measured against an index.
type Plan struct {
	Terms []Term // in the order of the query
	// Leads is how many chunks the used terms lead to. A chunk counts once for each
	// term that leads to it.
	Leads  int
	mass   float64 // of all terms
	tells  float64 // informative weight of all terms
	unique float64 // IDF of a term that a single chunk holds
}

// Choose makes a plan of terms with known DF. It keeps the rarest ones, as long as their
// chunks can be scored in time. A term that is left out still counts
// in the mass.
func Choose(terms []Term, chunks int, r Ranking) Plan {
	p := Plan{Terms: terms, unique: IDF(chunks, 1)}
	var asked []*Term
	telling := newTelling(terms, chunks)
	for i := range terms {
		t := &terms[i]
		t.IDF, t.tells = IDF(chunks, t.DF), telling.of(t.DF)
		p.mass += t.IDF
		p.tells += t.tells
		if t.DF > 0 {
			asked = append(asked, t)
		} else {
			p.tells += (t.unknown(chunks) - 1) * t.tells
		}
	}
	slices.SortStableFunc(asked, func(a, b *Term) int { return cmp.Compare(a.DF, b.DF) })
	for i, t := range asked {
		if i > 0 && p.Leads+t.DF > r.Scored {
			break
		}
		p.Leads += t.DF
		t.used = true
	}
	return p
}

// IDF returns the weight of a term that df of the chunks contain (Robertson and
// Spärck Jones 1976, plus one so that it is never negative).
func IDF(chunks, df int) float64 {
	return math.Log(1 + (float64(chunks-df)+0.5)/(float64(df)+0.5))
}

// Used returns the terms to look up.
func (p *Plan) Used() []Term {
	return slices.DeleteFunc(slices.Clone(p.Terms), func(t Term) bool { return !t.used })
}

// Held is the part of a query that a chunk holds.
type Held struct {
	Mass     float64 // share of the query's, 0 to 1
	Evidence float64 // see Plan.evidence
	Tells    float64 // share of the informative weight of the query's terms, 0 to 1
	Terms    []string
	Named    []string
}

// Held returns the part of the query that a packed set of stems holds.
func (p *Plan) Held(packed []byte) Held {
	h := Held{Terms: []string{}}
	sum, tells := 0.0, 0.0
	for _, t := range p.Terms {
		if !stems.Has(packed, t.Hash) {
			continue
		}
		h.Terms = append(h.Terms, t.Text)
		if t.Named {
			h.Named = append(h.Named, t.Text)
		}
		sum += t.IDF
		tells += t.tells
	}
	if p.mass > 0 {
		h.Mass = min(sum/p.mass, 1)
	}
	h.Evidence, h.Tells = p.evidence(len(h.Terms), tells), share(tells, p.tells)
	return h
}

// worth returns how many words that no other chunk holds would match the query as well as a
// candidate does. BM25 itself grows with the number of chunks.
func (p *Plan) worth(k *Candidate) float64 { return share(k.BM25, p.unique) }
