package list

import (
	"context"
	"os"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	appstanding "agentflow/app/standing"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/memory/digest"
)

// TrendsRequest asks for the contents of memory and their recent growth.
type TrendsRequest struct {
	Days int // number of days that are reported one by one, up to today; at least 1
}

// TrendsResult counts the contents of memory. Facts are those of the repository and
// of the user's own memory, also those that a person wrote into MEMORY.md
// without an id, each once. All other counts are the repository's.
type TrendsResult struct {
	Runs, Sessions, Commits, Notes   int
	Holding, Struck, Expired, Pinned int            // facts; Pinned counts some of Holding
	Tags                             map[string]int // of the facts that hold
	Files                            int
	Bytes                            int64 // of all files
	MemoryMD                         api.MemoryFileSize
	Days                             []TrendDay // the oldest first
	Degraded                         []string   // what did not work, a line each; never nil
}

// TrendDay is what happened on a day, in the local time zone.
type TrendDay struct {
	Date         time.Time // its midnight
	Runs, Failed int       // Failed counts those of Runs that did not end well
	CostUSD      float64   // of the runs and sessions with a known cost
	Facts        int       // that hold now and were there when the day ended
}

// Trends counts the contents of memory, and the runs, the cost and the facts of
// each of the last days. It reads again only files that may have changed since
// the last time.
func Trends(ctx context.Context, m *app.Memory, req TrendsRequest) (res TrendsResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	defer o.OrNothing(&err)
	if req.Days < 1 {
		return res, app.Usagef("trends are those of at least one day")
	}
	now := time.Now()
	res.begin(now, req.Days)
	s, err := o.OpenToRead(ctx)
	if err != nil {
		return res, err
	}
	seen := map[string]bool{}
	for _, home := range s.AndGlobal(ctx) {
		list, err := lookup.CountedDigests(ctx, home, func(err error) { s.Warn("%v", err) })
		if err != nil {
			return res, err
		}
		for _, t := range list {
			if home == s {
				res.addFile(t)
			}
			res.addFacts(lists.Mapped(t.Facts, func(k digest.Fact) *lookup.StoredFact { return lookup.DigestedFact(home, t, k) }), seen, now)
		}
		byHand, err := appstanding.MemoryFileFacts(ctx, home)
		if err != nil {
			s.Warn("%v", err)
		}
		for _, f := range byHand {
			if f.ID == "" {
				res.addFacts([]*lookup.StoredFact{{Fact: f.Fact}}, seen, now)
			}
		}
	}
	for i := 1; i < len(res.Days); i++ {
		res.Days[i].Facts += res.Days[i-1].Facts
	}
	res.MemoryMD, err = lastingSize(s)
	return res, err
}

func (res *TrendsResult) begin(now time.Time, days int) {
	res.Tags = map[string]int{}
	y, m, d := now.Local().Date()
	for i := range days {
		res.Days = append(res.Days, TrendDay{Date: time.Date(y, m, d-days+1+i, 0, 0, 0, 0, time.Local)})
	}
}

func (res *TrendsResult) addFile(f memoryfiles.Digested) {
	n := f.Kinds
	res.Runs, res.Sessions, res.Commits, res.Notes = res.Runs+n[memory.KindRun], res.Sessions+n[memory.KindSession], res.Commits+n[memory.KindCommit], res.Notes+n[memory.KindNote]
	if info, err := os.Lstat(f.Path); err == nil { // or else it went meanwhile
		res.Files++
		res.Bytes += info.Size()
	}
	for _, e := range f.Entries() {
		i := res.dayOf(e.Time)
		if !e.Kind.ByAgent() || !sameDay(e.Time, res.Days[i].Date) {
			continue
		}
		d := &res.Days[i]
		d.CostUSD += e.CostUSD
		if e.Kind == memory.KindRun {
			d.Runs++
			if !e.Success {
				d.Failed++
			}
		}
	}
}

func sameDay(at, date time.Time) bool {
	return at.Local().Format(time.DateOnly) == date.Format(time.DateOnly)
}

// addFacts counts facts that were not seen yet. A fact from before the first day
// counts on that day.
func (res *TrendsResult) addFacts(list []*lookup.StoredFact, seen map[string]bool, now time.Time) {
	for _, f := range list {
		if f.ID != "" && seen[f.ID] {
			continue // also in a copy of its file
		}
		seen[f.ID] = true
		switch {
		case f.Struck:
			res.Struck++
			continue
		case !f.Live(now):
			res.Expired++
			continue
		}
		res.Holding++
		if f.IsPinned() {
			res.Pinned++
		}
		for _, tag := range f.Tags {
			res.Tags[tag]++
		}
		res.Days[res.dayOf(f.CreatedAt())].Facts++
	}
}

// dayOf returns the reported day of a time: the first day for an earlier time, and
// the last day for a later one.
func (res *TrendsResult) dayOf(at time.Time) int {
	for i := len(res.Days) - 1; i > 0; i-- {
		if !at.Before(res.Days[i].Date) {
			return i
		}
	}
	return 0
}
