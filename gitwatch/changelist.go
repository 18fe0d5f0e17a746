package gitwatch

import (
	"context"
	"sort"
	"strings"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/attribution"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/linediff"
	"agentflow/gitwatch/internal/objects"
	"agentflow/internal/plural"
	"agentflow/memory/changeset"
)

// alreadyChanged notes that a path differed from HEAD before the run.
const alreadyChanged = "already changed before"

// notLookedAt notes that a path may have existed before the run in a place that git does not look
// at: it was ignored, or in a nested repository.
const notLookedAt = "git did not look at it before"

// notRead notes that the contents of a changed path are missing: a partial clone
// left them out, or they are damaged.
const notRead = "contents could not be read"

// listedChange is the net change of one path with its verdict and its note.
type listedChange struct {
	objects.NetChange
	letter changeset.Status // set for a path that is not a plain change from before to after
	note   string
	base   *objects.File // counts are relative to this file instead of before, if not nil
	// elsewhere says where another person put the change; nil: it is in the work tree.
	elsewhere *edits.Elsewhere
	attribution.Verdict
}

// list turns net changes into the lines of a list: it finds renames, counts lines, and sorts by
// path.
func (c *contents) list(ctx context.Context, changes []listedChange) ([]changeset.Change, error) {
	from := make([]int, len(changes)) // the index of the change with each one's earlier file; -1 for the deleted file of a rename
	for i := range from {
		from[i] = i
	}
	for _, certainty := range []changeset.Certainty{changeset.Shown, changeset.Likely, changeset.Possible, ""} {
		c.renames(changes, certainty, from)
	}
	var out []changeset.Change
	for i, ch := range changes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if from[i] >= 0 {
			out = append(out, c.describe(changes[from[i]], ch))
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out, nil
}

// renames pairs deleted with added files of one certainty.
func (c *contents) renames(changes []listedChange, certainty changeset.Certainty, from []int) {
	var deleted, added []*linediff.Candidate
	var fromAt, toAt []int
	for i, ch := range changes {
		switch {
		case ch.Certainty != certainty || ch.letter != 0 || ch.base != nil || ch.elsewhere != nil:
		case !ch.After.Exists():
			deleted = append(deleted, &linediff.Candidate{Path: ch.Path, File: ch.Before})
			fromAt = append(fromAt, i)
		case !ch.Before.Exists():
			added = append(added, &linediff.Candidate{Path: ch.Path, File: ch.After})
			toAt = append(toAt, i)
		}
	}
	if len(deleted) == 0 || len(added) == 0 {
		return
	}
	for _, p := range linediff.Renames(deleted, added, c.load) {
		from[toAt[p.To]], from[fromAt[p.From]] = fromAt[p.From], -1
	}
}

func (c *contents) load(f *linediff.Candidate) {
	if f.Content == nil && !f.Loaded {
		f.Content, f.Loaded = c.get(f.Path, f.File)
	}
}

// describe returns one change. from differs from to for a rename.
func (c *contents) describe(from, to listedChange) changeset.Change {
	ch := changeset.Change{Path: to.Path, Note: to.note, Status: to.letter, Certainty: to.Certainty}
	if to.elsewhere != nil {
		ch.Note = strings.TrimPrefix(ch.Note+"; "+whereabouts(to.elsewhere, to.Mixed), "; ")
	}
	if to.letter == 0 {
		ch.Status, ch.Blob = status(to.Change), entryBlob(to.After)
		steps := []objects.Step{{Before: from.Before, After: to.After}}
		switch {
		case from.Path != to.Path:
			ch.Status, ch.OldPath = changeset.StatusRenamed, from.Path
		case to.base != nil:
			steps[0].Before = *to.base
		case !to.Contiguous():
			steps = to.Steps // others changed it in between
		}
		ch.Added, ch.Deleted, ch.Counted = c.count(from.Path, to.Path, steps)
	}
	if c.unread[from.Path] || c.unread[to.Path] {
		ch.Note = strings.TrimPrefix(ch.Note+"; "+notRead, "; ")
	}
	return ch
}

func status(ch objects.Change) changeset.Status {
	before, after := ch.Before, ch.After
	switch {
	case !before.Exists():
		return changeset.StatusAdded
	case !after.Exists():
		return changeset.StatusDeleted
	case git.Kind(before.Mode) != git.Kind(after.Mode):
		return changeset.StatusType
	}
	return changeset.StatusModified
}

// entryBlob returns the short blob id that an entry keeps of a file.
func entryBlob(f objects.File) string {
	if !f.Exists() {
		return changeset.NoBlob
	}
	return changeset.ShortBlob(f.Hash)
}

// whereabouts returns the note of a change that is elsewhere.
func whereabouts(e *edits.Elsewhere, mixed edits.Mixed) string {
	var ids []string
	for _, id := range e.Commits {
		ids = append(ids, id[:min(len(id), 7)])
	}
	names := strings.Join(ids[:min(len(ids), maxNamedCommits)], ", ")
	if more := len(ids) - maxNamedCommits; more > 0 {
		names += " and " + plural.Count(more, "more commit")
	}
	switch {
	case len(ids) == 0:
		return changeset.NoteGone
	case e.Stash:
		return changeset.NoteStashed + " as " + names
	case e.Part:
		return changeset.NotePart + " in " + names
	case mixed == edits.MixedYes: // and the line counts are those of the commit
		return changeset.NoteCommitted + " with other changes in " + names
	}
	return changeset.NoteCommitted + " in " + names
}

// maxNamedCommits bounds the commits that a note names.
const maxNamedCommits = 3
