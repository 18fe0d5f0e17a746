package explain

import (
	"math"
	"strings"
)

// request returns the person's sentence that best says why the files changed. It is empty if there
// is none, or if a cause is already given. Planned reports that it is the context of a plan, as much as fits.
func (p *picker) request(files []string, explained bool) (text string, planned bool) {
	i := p.best(0, math.MaxInt, sentence.pleads)
	if i < 0 || len(files) == 0 || p.causes() || explained && !p.list[i].context {
		return "", false
	}
	quote := p.quote(i)
	for j := i + 1; j < len(p.list) && p.list[j].context && !quote.causes() && !reasons().MatchString(quote.text()); j++ {
		if later := p.quote(j); later.causes() {
			quote = later
		}
	}
	return strings.ReplaceAll(quote.text(), `"`, "'"), p.list[i].context
}

// quote picks a sentence of the person and, of a plan's context, those behind it that fit.
func (p *picker) quote(i int) *picker {
	quote, room := &picker{list: p.list}, min(maxQuoted, MaxWords-1-p.words)
	quote.take(i, room)
	for i++; i < len(p.list) && p.list[i].context && quote.words+p.list[i].words <= room; i++ {
		quote.take(i, room)
	}
	return quote
}
