package index

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"

	"agentflow/internal/words"
)

// term is one distinct stem of a query.
type term struct {
	text  string // as it stands in the query, lower-cased
	hash  uint32
	named bool // a path or identifier
	df    int  // chunks that hold it
	idf   float64
	tells float64 // see telling; 0 when it is left out for being common
	used  bool    // FTS5 is asked for it
	typo  bool    // another word stands in the query: see correct
}

// plan is a query measured against an index.
type plan struct {
	terms []term // in the order of the query
	mass  float64
	tells float64 // of all terms
	match string  // FTS5 expression; "" when no chunk can match
	leads int     // chunks that match leads to, those that several terms lead to counted as often
}

// maxTerms bounds the terms of one query; far more than QueryRunes holds
// unless somebody raises that.
const maxTerms = 128

// parseQuery returns the distinct terms of what counts of a query. Nothing in
// it is syntax.
func parseQuery(text string, runes int) []term { return termsOf(beginning(text, runes)) }

// beginning is what counts of a query: its first line and what follows, of
// each as many characters as runes says.
func beginning(text string, runes int) string {
	title, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return firstRunes(title, runes) + "\n" + firstRunes(rest, runes)
}

// termsOf returns the distinct terms of a text.
func termsOf(text string) []term {
	var terms []term
	at := map[uint32]int{}
	for _, tok := range words.WithoutChatter(words.Tokenize(text)) {
		h := termHash(words.Stem(tok.Text))
		if i, ok := at[h]; ok {
			terms[i].named = terms[i].named || tok.Named
			continue
		}
		if len(terms) == maxTerms {
			break
		}
		at[h] = len(terms)
		terms = append(terms, term{text: tok.Text, hash: h, named: tok.Named})
	}
	return terms
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// measure looks the terms up and decides which of them FTS5 is asked for.
func measure(ctx context.Context, c *sql.Conn, terms []term, r Ranking) (plan, error) {
	chunks, err := lookUp(ctx, c, terms)
	if err == nil {
		terms, err = correct(ctx, c, terms)
	}
	if err != nil {
		return plan{}, err
	}
	return choose(terms, chunks, r), nil
}

// lookUp fills in df and returns the number of chunks.
func lookUp(ctx context.Context, c *sql.Conn, terms []term) (chunks int, err error) {
	if err := c.QueryRowContext(ctx, `SELECT value FROM meta WHERE key='chunks'`).Scan(&chunks); err != nil {
		return 0, err
	}
	hashes := make(map[uint32]int, len(terms))
	for _, t := range terms {
		hashes[t.hash] = 0
	}
	if err := countTerms(ctx, c, hashes); err != nil {
		return 0, err
	}
	for i := range terms {
		terms[i].df = hashes[terms[i].hash]
	}
	return chunks, nil
}

// choose leaves common terms out while another is left, then keeps the rarest
// while the chunks they lead to can be scored in time. What is left out for
// being common has no part in the mass either; what is left out for time has.
func choose(terms []term, chunks int, r Ranking) plan {
	common := func(t *term) bool {
		return t.df > r.CommonMin && float64(t.df) > r.CommonShare*float64(chunks)
	}
	var asked, rest []*term
	for i := range terms {
		t := &terms[i]
		t.idf = idf(chunks, t.df) * t.share(r)
		switch {
		case t.df > 0 && !common(t):
			asked = append(asked, t)
		case t.df > 0:
			rest = append(rest, t)
		}
	}
	onlyCommon := len(asked) == 0
	if onlyCommon {
		asked = rest
	}
	p := plan{terms: terms}
	for i := range terms {
		if t := &terms[i]; onlyCommon || !common(t) {
			t.tells = telling(chunks, t.df) * t.share(r)
			p.mass += t.idf
			p.tells += t.tells
			if t.df == 0 {
				p.tells += (unknownWeight - 1) * t.tells
			}
		}
	}
	slices.SortStableFunc(asked, func(a, b *term) int { return cmp.Compare(a.df, b.df) })
	for i, t := range asked {
		if i > 0 && p.leads+t.df > r.Scored {
			break
		}
		p.leads += t.df
		t.used = true
	}
	p.match = strings.Join(phrases(p.used()), " OR ")
	return p
}

// share is how much of a term counts.
func (t *term) share(r Ranking) float64 {
	if t.typo {
		return r.TypoWeight
	}
	return 1
}

// idf is how telling a term is that df of the chunks hold (Robertson and
// Spärck Jones 1976, plus one so that it is never negative).
func idf(chunks, df int) float64 {
	return math.Log(1 + (float64(chunks-df)+0.5)/(float64(df)+0.5))
}

// used returns the terms that FTS5 is asked for.
func (p *plan) used() []term {
	return slices.DeleteFunc(slices.Clone(p.terms), func(t term) bool { return !t.used })
}

// phrases are terms as FTS5 is asked for them, quoted: a token holds letters,
// digits and '_' only, so nothing in it can end the quotes.
func phrases(terms []term) []string {
	list := make([]string, len(terms))
	for i, t := range terms {
		list[i] = `"` + words.Stem(t.text) + `"`
	}
	return list
}

// held is what a chunk holds of a query.
type held struct {
	mass     float64 // share of the query's, 0 to 1
	evidence float64 // see plan.evidence
	terms    []string
	named    []string
}

func (p *plan) held(terms []byte) held {
	h := held{terms: []string{}}
	sum, tells := 0.0, 0.0
	for _, t := range p.terms {
		if !holds(terms, t.hash) {
			continue
		}
		h.terms = append(h.terms, t.text)
		if t.named {
			h.named = append(h.named, t.text)
		}
		sum += t.idf
		tells += t.tells
	}
	if p.mass > 0 {
		h.mass = min(sum/p.mass, 1)
	}
	h.evidence = p.evidence(len(h.terms), tells)
	return h
}
