package factrank

import (
	"math/bits"
	"slices"

	"agentflow/internal/words"
)

// word is what is known of one word form.
type word struct {
	term     int32 // number of its stem, -1 for a function word
	telling  bool  // not a word of any software project
	named    bool  // an identifier or path
	concepts conceptSet
	kinds    conceptSet
	acts     conceptSet
}

// vocabulary numbers the stems of the facts of a memory.
type vocabulary struct {
	words  map[string]word
	terms  map[string]int32
	stems  []string
	starts map[string][]int32 // terms by their first letters
}

// startLen is how many first letters two words share that are probably related.
const startLen = 5

func newVocabulary() *vocabulary {
	return &vocabulary{words: map[string]word{}, terms: map[string]int32{}, starts: map[string][]int32{}}
}

// look returns what is known of a token, without learning it.
func (v *vocabulary) look(t words.Token) (word, bool) {
	w, ok := v.words[t.Text]
	if !ok {
		w = v.classify(t)
		if term, known := v.terms[words.Stem(t.Text)]; known && w.term != none {
			w.term = term
			ok = true
		}
	}
	w.named = t.Named
	return w, ok
}

const (
	none    = -1 // a function word
	unknown = -2 // a stem that no fact has
)

func (v *vocabulary) classify(t words.Token) word {
	stem := words.Stem(t.Text)
	w := word{term: unknown, concepts: concepts().of(t.Text, stem), kinds: kinds().of(t.Text, stem), acts: acts().of(t.Text, stem)}
	if words.IsStopword(t.Text) || foreignStop[t.Text] || len(t.Text) < 2 || words.IsChatter(t.Text) {
		w.term = none
	}
	w.telling = !words.IsCommonplace(t.Text) && !words.IsNumber(t.Text)
	return w
}

// learn is look for a token of a fact, of which the vocabulary then knows the stem.
func (v *vocabulary) learn(t words.Token) word {
	w, ok := v.words[t.Text]
	if !ok {
		w = v.classify(t)
		if w.term != none {
			w.term = v.termOf(words.Stem(t.Text))
		}
		v.words[t.Text] = w
	}
	w.named = t.Named
	return w
}

func (v *vocabulary) termOf(stem string) int32 {
	term, ok := v.terms[stem]
	if !ok {
		term = int32(len(v.stems))
		v.terms[stem] = term
		v.stems = append(v.stems, stem)
		if len(stem) >= startLen {
			v.starts[stem[:startLen]] = append(v.starts[stem[:startLen]], term)
		}
	}
	return term
}

// foreignStop are function words of German, French and Spanish.
var foreignStop = words.Set(`der die das den dem des ein eine einen einem einer und oder ist sind war nicht mit von zu zum zur im am auf
	fur bei aus nach wie wir ihr sie es ich du man auch nur noch wird werden kann bitte sich als dass wenn aber alle
	le la les un une des du de et ou est sont dans sur pour par avec sans que qui ce cette ces il elle nous vous ne pas plus au aux en se son sa ses on
	el los las una unos y o es son del al por para con sin que se lo su sus no si como mas pero este esta`)

// text is an analysed text.
type text struct {
	terms    []int32 // distinct known terms, in order of first appearance
	telling  []bool  // for each of terms
	named    []bool
	strange  []string   // distinct telling stems that no fact has
	follows  [][2]int32 // neighbouring terms
	count    int        // of words
	common   int        // of them, those of any software project
	concepts conceptSet
	hits     [64]uint8 // distinct words of each concept
	kinds    conceptSet
	acts     conceptSet
}

// read analyses a text; see returns what is known of a token.
func read(s string, see func(words.Token) (word, bool)) *text {
	t := &text{}
	last := int32(none)
	for _, token := range words.Scan(words.Fold(s)) {
		w, known := see(token)
		t.kinds |= w.kinds
		t.acts |= w.acts
		if w.term == none {
			continue
		}
		t.count++
		if !w.telling || w.concepts != 0 {
			t.common++
		}
		t.concepts |= w.concepts
		if !known {
			if stem := words.Stem(token.Text); w.telling && !slices.Contains(t.strange, stem) {
				t.strange = append(t.strange, stem)
				t.hit(w.concepts)
			}
			last = none
			continue
		}
		if last != none {
			t.follows = append(t.follows, [2]int32{last, w.term})
		}
		last = w.term
		if !slices.Contains(t.terms, w.term) {
			t.terms = append(t.terms, w.term)
			t.telling = append(t.telling, w.telling)
			t.named = append(t.named, w.named)
			t.hit(w.concepts)
		}
	}
	return t
}

func (t *text) hit(set conceptSet) {
	for ; set != 0; set &= set - 1 {
		t.hits[bits.TrailingZeros64(uint64(set))]++
	}
}

// strengths says how much a text is about each concept, 0 to 1.
func (t *text) strengths(more *text) (list []float64) {
	list = make([]float64, 64)
	best := 0.0
	for c := range list {
		list[c] = float64(t.hits[c])
		if more != nil && more.hits[c] > 0 {
			list[c] += 1.5
		}
		best = max(best, list[c])
	}
	for c, n := range list {
		if n > 0 {
			list[c] = 0.5*min(1, n/2) + 0.5*n/best
		}
	}
	return list
}
