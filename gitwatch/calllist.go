package gitwatch

import (
	"path"
	"slices"
	"time"
)

// callList finds the calls to which a change may belong: a run may have made
// thousands of calls, and changed thousands of paths.
type callList struct {
	all       []fileCall       // by their beginning
	ended     []time.Time      // of each, until when it may have written; zero where nobody knows
	named     map[string][]int // by path: those that name it as written
	patterned []int            // those that name patterns

	begins, ends []time.Time // of all whose end is known, each in the order of time
}

// newCallList orders calls of a run that ended at a time: until then what one
// left running may have written, or one whose end nobody saw.
func newCallList(all []fileCall, runEnded time.Time) callList {
	slices.SortStableFunc(all, func(a, b fileCall) int { return a.Began.Compare(b.Began) })
	l := callList{all: all, named: map[string][]int{}}
	for i, c := range all {
		for p := range c.wrote {
			l.named[p] = append(l.named[p], i)
		}
		for p := range c.names {
			if _, both := c.wrote[p]; !both {
				l.named[p] = append(l.named[p], i)
			}
		}
		if len(c.patterns) > 0 {
			l.patterned = append(l.patterned, i)
		}
		ended := c.Ended
		if c.Background || ended.IsZero() {
			ended = runEnded
		}
		l.ended = append(l.ended, ended)
		if !ended.IsZero() {
			l.begins, l.ends = append(l.begins, c.Began.Add(-tick)), append(l.ends, ended)
		}
	}
	slices.SortFunc(l.begins, time.Time.Compare)
	slices.SortFunc(l.ends, time.Time.Compare)
	return l
}

// naming are the calls that name a path as written, in their order. Of a path
// that is gone, a folder above it is enough.
func (l *callList) naming(m moved) []fileCall {
	found := slices.Concat(l.named[m.path], l.patterned)
	for dir := path.Dir(m.path); !m.here && dir != "."; dir = path.Dir(dir) {
		found = append(found, l.named[dir]...)
	}
	slices.Sort(found)
	var out []fileCall
	for _, i := range slices.Compact(found) {
		if c := l.all[i]; c.writesTo(m.path) || c.namesPath(m) {
			out = append(out, c)
		}
	}
	return out
}

// on says whether any call was on at a time, or what it left running, that may
// have changed a path then: one that saw it unchanged has not.
func (l *callList) on(name string, at time.Time) bool {
	begun, _ := slices.BinarySearchFunc(l.begins, at, func(t, at time.Time) int {
		if t.After(at) {
			return 1
		}
		return -1 // beyond all that are not after it
	})
	over, _ := slices.BinarySearchFunc(l.ends, at, time.Time.Compare)
	n := begun - over
	for _, i := range l.named[name] {
		if c := l.all[i]; !c.Background && c.sawNoChange(name) && !l.ended[i].IsZero() && c.within(at, l.ended[i]) {
			n--
		}
	}
	return n > 0
}
