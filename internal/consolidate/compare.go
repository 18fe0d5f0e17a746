package consolidate

import (
	"cmp"
	"slices"
	"strings"
)

const maxPossible = 200

// compare lists facts of one namespace that may contradict each other or say the same. They
// hold, and they differ in one number, identifier or negation, share nearly all words, or are
// about the same thing.
func (p *plan) compare() {
	live := p.live()
	c := &comparison{plan: p, listed: map[[2]string]bool{}}
	for _, known := range p.possible {
		if len(known.IDs) == 2 {
			c.listed[[2]string(known.IDs)] = true
		}
	}
	c.struck(live)
	c.oneApart(live)
	c.alike(live)
	c.clash(live)
	slices.SortStableFunc(p.possible, func(a, b Possible) int { return strings.Compare(string(a.Kind), string(b.Kind)) })
}

type comparison struct {
	plan   *plan
	listed map[[2]string]bool // ids of pairs, the smaller first
}

func (c *comparison) suspectPair(kind PossibleKind, reason string, a, b *fact) {
	if a.ID > b.ID {
		a, b = b, a
	}
	pair := [2]string{a.ID, b.ID}
	apart := a.Key != "" && b.Key != "" && a.Key != b.Key
	if c.listed[pair] || apart || a.old && b.old || a.ID == b.ID {
		return
	}
	c.listed[pair] = true
	c.plan.suspect(kind, reason, a, b)
}

func (c *comparison) struck(live []*fact) {
	gone := map[within]*fact{}
	for _, f := range c.plan.facts {
		if f.Struck && f.SupersededBy == "" && f.form != "" {
			gone[within{f.Namespace, f.form}] = f
		}
	}
	for _, f := range live {
		if old := gone[within{f.Namespace, f.form}]; old != nil {
			c.suspectPair(Contradiction, "a person struck one of them", f, old)
		}
	}
}

// maxHard limits the words of a fact that are left out in turn.
const maxHard = 16

// oneApart finds facts that differ only in one word that decides their meaning, or that only
// one of them has.
func (c *comparison) oneApart(live []*fact) {
	whole := map[within]*fact{}
	for _, f := range live {
		whole[within{f.Namespace, f.form}] = f
	}
	type leftOut struct {
		*fact
		word string
	}
	masked := map[within]leftOut{}
	for _, f := range live {
		list := strings.Split(f.form, " ")
		hard := 0
		for i, w := range list {
			if !decides(w) || hard == maxHard {
				continue
			}
			hard++
			key := within{f.Namespace, strings.Join(list[:i], " ") + "\x00" + strings.Join(list[i+1:], " ")}
			if other, ok := masked[key]; ok && other.form != f.form {
				c.suspectPair(Contradiction, "they differ in one word: "+oneLine(other.word+", "+w), other.fact, f)
			}
			masked[key] = leftOut{f, w}
			if !negates[w] {
				continue
			}
			if other := whole[within{f.Namespace, without(list, i)}]; other != nil {
				c.suspectPair(Contradiction, "only one of them says "+w, other, f)
			}
		}
	}
}

// without returns the form without word i, and without a "do" before a "not".
func without(list []string, i int) string {
	before := list[:i]
	if i > 0 && list[i] == "not" && slices.Contains([]string{"do", "does", "did"}, list[i-1]) {
		before = list[:i-1]
	}
	return strings.Join(slices.Concat(before, list[i+1:]), " ")
}

const (
	likeness   = 0.8 // minimum share of their words that two facts have in common
	leastWords = 4   // facts with fewer words are not compared
	maxCommon  = 100 // a word that more facts have is not used to look up others
	maxPartner = 50  // maximum number of facts with which one is compared
)

// alike finds facts that share nearly all of their words (Jaccard index at least 0.8). Two such
// facts have one of their rarest words in common, so only facts with such a word are looked up
// (Bayardo et al., Scaling Up All Pairs Similarity Search, 2007). Common words are not used for
// that, so the time stays nearly linear.
func (c *comparison) alike(live []*fact) {
	frequency := map[string]int{}
	bags := make([][]string, len(live))
	for i, f := range live {
		bag := strings.Split(f.form, " ")
		slices.Sort(bag)
		bags[i] = slices.Compact(bag)
		for _, w := range bags[i] {
			frequency[w]++
		}
	}
	holders := map[within][]int{} // by a rare word
	for i, f := range live {
		bag := bags[i]
		if len(bag) < leastWords {
			continue
		}
		byRarity := slices.Clone(bag)
		slices.SortFunc(byRarity, func(a, b string) int { return cmp.Or(frequency[a]-frequency[b], strings.Compare(a, b)) })
		compared := map[int]bool{}
		for _, w := range byRarity[:len(bag)-int(likeness*float64(len(bag)))+1] {
			if frequency[w] > maxCommon {
				break
			}
			at := within{f.Namespace, w}
			for _, k := range holders[at] {
				if !compared[k] && len(compared) < maxPartner {
					compared[k] = true
					c.compareWords(live[k], f, bags[k], bag)
				}
			}
			holders[at] = append(holders[at], i)
		}
	}
}

func (c *comparison) compareWords(a, b *fact, of, with []string) {
	common := commonOf(of, with)
	if all := len(of) + len(with) - common; a.form == b.form || float64(common) < likeness*float64(all) {
		return
	}
	apart := slices.Concat(less(of, with), less(with, of))
	slices.Sort(apart)
	switch {
	case len(apart) == 0:
		c.suspectPair(Contradiction, "the same words in another order", a, b)
	case slices.ContainsFunc(apart, decides):
		c.suspectPair(Contradiction, "nearly the same, but for "+oneLine(strings.Join(apart, ", ")), a, b)
	default:
		c.suspectPair(Duplicate, "nearly the same, but for "+oneLine(strings.Join(apart, ", ")), a, b)
	}
}

// commonOf returns the number of words that two sorted lists have in common.
func commonOf(a, b []string) (n int) {
	for len(a) > 0 && len(b) > 0 {
		switch order := strings.Compare(a[0], b[0]); {
		case order < 0:
			a = a[1:]
		case order > 0:
			b = b[1:]
		default:
			a, b, n = a[1:], b[1:], n+1
		}
	}
	return n
}

// less returns the words of a sorted list that another one does not have.
func less(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(w string) bool { _, in := slices.BinarySearch(other, w); return in })
}

// clash finds facts that are about the same thing and make different statements.
func (c *comparison) clash(live []*fact) {
	order, of := grouped(live, func(f *fact) string { return f.Namespace })
	for _, namespace := range order {
		list := of[namespace]
		subjects := make([]subject, len(list))
		for i, f := range list {
			subjects[i] = subjectOf(strings.Fields(f.form))
		}
		for _, pair := range clashes(subjects) {
			kind := Contradiction
			if pair.Same {
				kind = Duplicate
			}
			c.suspectPair(kind, "both are about "+oneLine(strings.Join(pair.Words, ", ")), list[pair.A], list[pair.B])
		}
	}
}
