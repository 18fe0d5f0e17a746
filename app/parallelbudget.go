package app

import "math"

// budget shares out what several runs may cost in all, in US dollars. It is
// pure; whoever uses it from several goroutines keeps them apart.
type budget struct {
	total   float64 // 0: no limit
	each    float64 // of one run; 0: no limit
	capped  bool    // the agent ends when it has spent its limit
	waiting int     // runs that have not begun

	spent, promised float64 // promised: to runs that go on
}

// verdict is what a budget says to one more run.
type verdict int

const (
	granted   verdict = iota
	wait              // until a run gives back what it did not need
	exhausted         // no run may begin any more
)

// cent is the least that a run is begun for.
const cent = 0.01

// grant asks for one more run. limit is what it may cost, 0 for as much as it
// likes: an equal share for each run that has not begun of what is neither
// spent nor promised, in whole cents.
func (b *budget) grant() (limit float64, v verdict) {
	free := b.free()
	switch {
	case b.total == 0 || !b.capped && free >= cent:
		b.waiting--
		return b.each, granted
	case free < cent && b.promised > 0:
		return 0, wait
	case free < cent:
		return 0, exhausted
	}
	limit = b.share()
	b.promised += limit
	b.waiting--
	return limit, granted
}

// free is what is neither spent nor promised.
func (b *budget) free() float64 { return b.total - b.spent - b.promised }

// share is what the next of the waiting runs may cost.
func (b *budget) share() float64 {
	share := max(math.Floor(100*b.free()/float64(b.waiting))/100, cent)
	if b.each > 0 {
		share = min(share, b.each)
	}
	return share
}

// settle ends a run that was granted limit and cost so much.
func (b *budget) settle(limit, cost float64) {
	b.spent += cost
	if b.total > 0 && b.capped {
		b.promised = max(b.promised-limit, 0)
	}
	if b.promised < cent/2 {
		b.promised = 0 // what rounding left
	}
}
