package consolidate

import (
	"cmp"
	"slices"
	"strings"
)

const (
	likeness   = 0.8 // least share of their words that two facts have in common
	leastWords = 4   // fewer say too little to be alike
	maxCommon  = 100 // facts that a word by which others are found may stand in
	maxPartner = 50  // facts that one is compared with
)

// alike finds facts that share nearly all of their words (Jaccard index at
// least 0.8). Two such facts have one of their rarest words in common, so only
// those are looked up (Bayardo et al., Scaling Up All Pairs Similarity Search,
// 2007); words that are common everywhere find nothing, so that the time stays
// nearly linear.
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
	type rare struct{ namespace, word string }
	holders := map[rare][]int{}
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
			at := rare{f.Namespace, w}
			for _, k := range holders[at] {
				if !compared[k] && len(compared) < maxPartner {
					compared[k] = true
					c.likely(live[k], f, bags[k], bag)
				}
			}
			holders[at] = append(holders[at], i)
		}
	}
}

// likely lists two facts if they are alike.
func (c *comparison) likely(a, b *fact, of, with []string) {
	var apart []string
	common := 0
	for i, k := 0, 0; i < len(of) || k < len(with); {
		switch {
		case k == len(with) || i < len(of) && of[i] < with[k]:
			apart = append(apart, of[i])
			i++
		case i == len(of) || with[k] < of[i]:
			apart = append(apart, with[k])
			k++
		default:
			common++
			i++
			k++
		}
	}
	if a.form == b.form || float64(common) < likeness*float64(common+len(apart)) {
		return
	}
	switch {
	case len(apart) == 0:
		c.tell(Contradiction, "the same words in another order", a, b)
	case slices.ContainsFunc(apart, decides):
		c.tell(Contradiction, "nearly the same, but for "+oneLine(strings.Join(apart, ", ")), a, b)
	default:
		c.tell(Duplicate, "nearly the same, but for "+oneLine(strings.Join(apart, ", ")), a, b)
	}
}
