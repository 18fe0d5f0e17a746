package embed

import "strings"

// stopwordList are the English function words that say nothing about a text,
// and what is left of contractions.
const stopwordList = `a about above after again against all also am an and any are aren as at be because been before being
	below between both but by can cannot could couldn d did didn do does doesn doing don done down during each few for from
	further get gets got had hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn
	it its itself just let like ll m me might more most must my myself no nor not of off on once only or other ought our ours
	ourselves out over own please re s same shall she should shouldn so some such t than that the their theirs them
	themselves then there these they this those through to too under until up us ve very was wasn we were weren what when
	where which while who whom why will with won would wouldn you your yours yourself yourselves`

// stopwords holds the hash of each.
var stopwords = func() map[uint64]bool {
	m := make(map[uint64]bool, 200)
	for w := range strings.FieldsSeq(stopwordList) {
		h := start(seedWord)
		for _, r := range w {
			h = step(h, r)
		}
		m[finish(h)] = true
	}
	return m
}()
