package gitwatch

import (
	"context"
	"sort"
	"strings"

	"agentflow/memory"
)

// alreadyChanged is said of a path that differed from HEAD before the run.
const alreadyChanged = "already changed before"

// notLookedAt is said of a path that may have been there before the run, where
// git did not look: it was ignored, or in a nested repository.
const notLookedAt = "git did not look at it before"

// noteBefore is what is said of a path by what the work tree held before.
func (f file) noteBefore() string {
	if f.Unknown {
		return notLookedAt
	}
	return alreadyChanged
}

// notRead is said of a path whose change is known and whose contents are not
// there: a partial clone left them out, or they are damaged.
const notRead = "contents could not be read"

// listed is a net change of one path with what is said about it.
type listed struct {
	netChange
	letter memory.Status // for a path that is not simply before → after
	note   string
	base   *file // counts are relative to this, when not to before
	verdict
}

// list turns net changes into lines: renames found, lines counted, sorted by
// path.
func (c *contents) list(ctx context.Context, changes []listed) ([]memory.Change, error) {
	renamed, gone := c.renames(changes)
	var out []memory.Change
	for i, ch := range changes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if gone[i] {
			continue
		}
		from := ch
		if j, ok := renamed[i]; ok {
			from = changes[j]
		}
		out = append(out, c.line(from, ch))
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out, nil
}

// renames pairs deleted with added files, where both are as surely the run's.
// It returns, by the index of the added one, that of the deleted one, and which
// deleted ones are thereby told.
func (c *contents) renames(changes []listed) (renamed map[int]int, gone map[int]bool) {
	renamed, gone = map[int]int{}, map[int]bool{}
	seen := map[memory.Certainty]bool{}
	for _, ch := range changes {
		if !seen[ch.certainty] {
			seen[ch.certainty] = true
			c.renamesOf(changes, ch.certainty, renamed, gone)
		}
	}
	return renamed, gone
}

// renamesOf pairs the files of one certainty.
func (c *contents) renamesOf(changes []listed, sure memory.Certainty, renamed map[int]int, gone map[int]bool) {
	var deleted, added []*candidate
	var fromAt, toAt []int
	for i, ch := range changes {
		switch {
		case ch.certainty != sure || ch.letter != 0 || ch.base != nil:
		case !ch.after.exists():
			deleted = append(deleted, &candidate{path: ch.path, file: ch.before})
			fromAt = append(fromAt, i)
		case !ch.before.exists():
			added = append(added, &candidate{path: ch.path, file: ch.after})
			toAt = append(toAt, i)
		}
	}
	if len(deleted) == 0 || len(added) == 0 {
		return
	}
	for _, p := range findRenames(deleted, added, c.load) {
		renamed[toAt[p.to]] = fromAt[p.from]
		gone[fromAt[p.from]] = true
	}
}

func (c *contents) load(f *candidate) {
	if f.content == nil && !f.loaded {
		f.content, f.loaded = c.get(f.path, f.file)
	}
}

// line is one change; from differs from to for a rename.
func (c *contents) line(from, to listed) memory.Change {
	ch := c.counted(from, to)
	if c.unread[from.path] || c.unread[to.path] {
		ch.Note = strings.TrimPrefix(ch.Note+"; "+notRead, "; ")
	}
	return ch
}

func (c *contents) counted(from, to listed) memory.Change {
	ch := memory.Change{Path: to.path, Note: to.note, Status: to.letter, Certainty: to.certainty}
	if to.letter != 0 {
		return ch
	}
	ch.Blob = to.after.blob()
	if from.path != to.path {
		ch.Status, ch.OldPath = memory.StatusRenamed, from.path
		ch.Added, ch.Deleted, ch.Counted = c.count(from.path, from.before, to.path, to.after)
		return ch
	}
	ch.Status = status(to.before, to.after)
	switch {
	case to.base != nil:
		ch.Added, ch.Deleted, ch.Counted = c.count(to.path, *to.base, to.path, to.after)
	case to.contiguous():
		ch.Added, ch.Deleted, ch.Counted = c.count(to.path, to.before, to.path, to.after)
	default:
		ch.Added, ch.Deleted, ch.Counted = c.sum(to)
	}
	return ch
}

// sum adds up the steps of a path that somebody else changed in between.
func (c *contents) sum(l listed) (added, deleted int, ok bool) {
	for _, s := range l.steps {
		a, d, ok := c.count(l.path, s.before, l.path, s.after)
		if !ok {
			return 0, 0, false
		}
		added += a
		deleted += d
	}
	return added, deleted, true
}
