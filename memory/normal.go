package memory

import (
	"math"
	"slices"
	"time"
)

// Normal is the entry as Format writes it and Parse gives it back. It differs
// from e only in what has no place in a file: empty slices are nil, the time
// has whole seconds and a zone that is nothing but its offset in whole minutes
// (a year outside 0 to 9999 is the zero time), numbers that mean nothing where
// they stand (line counts of an uncounted change, the files of what is no
// folder) are 0, importance lies in 0 to 1, a cost that is no finite number
// is 0, each path that a run changed has a certainty, Possible where nothing
// tells, and no other path has one; blobs of Meanwhile and Extra are empty. e is
// not changed.
func (e Entry) Normal() Entry {
	e.Time = normalTime(e.Time)
	e.Commits = cloned(e.Commits)
	e.PossibleCommits = cloned(e.PossibleCommits)
	e.Patch = cloned(e.Patch)
	e.Runs = cloned(e.Runs)
	e.Changes = e.Changes.normal()
	e.Uncommitted = e.Uncommitted.normal()
	e.Meanwhile = e.Meanwhile.normal()
	for i := range e.Meanwhile.Items {
		e.Meanwhile.Items[i].Blob = ""
	}
	e.normalCertainty()
	if e.Result != nil {
		r := *e.Result
		if math.IsNaN(r.CostUSD) || math.IsInf(r.CostUSD, 0) {
			r.CostUSD = 0
		}
		r.normalUndo()
		e.Result = &r
	}
	e.Errors = cloned(e.Errors)
	e.Denials = cloned(e.Denials)
	e.Remarks = cloned(e.Remarks)
	e.Facts = cloned(e.Facts)
	for i, f := range e.Facts {
		e.Facts[i] = f.Normal()
	}
	e.Extra = ""
	return e
}

// Normal is the fact as FormatFact writes it: see Entry.Normal.
func (f Fact) Normal() Fact {
	f.Tags = cloned(f.Tags)
	f.Importance, f.Confidence = normalShare(f.Importance), normalShare(f.Confidence)
	f.Created, f.Updated, f.Expires = normalTime(f.Created), normalTime(f.Updated), normalTime(f.Expires)
	f.Merged = cloned(f.Merged)
	for i, o := range f.Merged {
		f.Merged[i].Created = normalTime(o.Created)
	}
	f.Struck = f.Struck && f.Text != ""
	return f
}

// normalShare is x within 0 to 1; what is no number is 0.
func normalShare(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}

// Normal is the change as FormatChange writes it: see Entry.Normal.
func (c Change) Normal() Change {
	if !c.Counted {
		c.Added, c.Deleted = 0, 0
	}
	if c.Status != StatusFolder {
		c.Files = 0
	}
	return c
}

func (l ChangeList) normal() ChangeList {
	l.Items = cloned(l.Items)
	for i, c := range l.Items {
		l.Items[i] = c.Normal()
	}
	return l
}

func cloned[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return slices.Clone(s)
}

func normalTime(t time.Time) time.Time {
	_, offset := t.Zone()
	offset -= offset % 60
	t = t.Truncate(time.Second)
	if offset == 0 || offset <= -24*3600 || offset >= 24*3600 {
		t = t.UTC()
	} else {
		t = t.In(time.FixedZone("", offset))
	}
	if y := t.Year(); y < 0 || y > 9999 {
		return time.Time{}
	}
	return t
}
