package embed

import (
	"strings"

	"agentflow/internal/words"
)

// stopwords holds the hash of each.
var stopwords = func() map[uint64]bool {
	m := make(map[uint64]bool, 200)
	for w := range strings.FieldsSeq(words.Stopwords) {
		h := start(seedWord)
		for _, r := range w {
			h = step(h, r)
		}
		m[finish(h)] = true
	}
	return m
}()
