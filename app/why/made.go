package why

import (
	"maps"
	"slices"

	"agentflow/app"
	"agentflow/app/lookup"
	"agentflow/app/settle"
	"agentflow/gitwatch"
	"agentflow/gitwatch/history"
	"agentflow/gitwatch/links"
	"agentflow/gitwatch/reflog"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// prepare reads memory and the fate of the commits that memory names, once. It may
// run while git blames lines.
func (w *makers) prepare() {
	if w.stored.memory.byEntry != nil {
		return
	}
	w.mem.Topics.CatchUp(w.ctx, w.mem)
	w.stored.readMemory()
	var err error
	w.rewrites, err = reflog.Origins(lookup.LinkFiles(w.mem).Rewrites)
	w.degraded = app.AppendError(w.degraded, err)
	if repo, err := w.repo(); err == nil {
		w.ledger, err = links.Open(w.ctx, repo, lookup.LinkFiles(w.mem))
		w.degraded = app.AppendError(w.degraded, err)
	}
	if w.ledger != nil {
		w.settleLedger()
	}
	_ = w.mem.Redact.Text(w.asked) // the redactor loads the rules that it needs: 6 ms
}

// settleLedger finds the fate of the commits that the ledger does not know.
// Only files of memory with such a commit are parsed.
func (w *makers) settleLedger() {
	unknown := settle.IdSet{}
	for id := range w.stored.memory.byCommit {
		if _, known := w.ledger.Known(id); !known {
			unknown.Add(id)
		}
	}
	var open []*memory.Entry
	for b := range w.stored.entriesIn(w.stored.memory.naming(unknown)) {
		if len(b.Entry.Commits) > 0 {
			open = append(open, b.Entry)
		}
	}
	if len(open) == 0 {
		return
	}
	if _, err := w.ledger.Resolve(w.ctx, open...); err != nil {
		w.degraded = append(w.degraded, "finding out what became of commits: "+err.Error())
	}
	_ = w.ledger.Save() // as in tracer.ask
}

// earlierForms returns the commits that some commits were made of, from the record of
// git's hook and from package links, by full id. It leaves out commits that the
// entry of a run names.
func (w *makers) earlierForms(ids settle.IdSet) map[string][]string {
	forms := map[string][]string{}
	for id := range ids {
		if slices.ContainsFunc(w.claims[id], func(c claim) bool { return c.how == claimNamed }) {
			continue
		}
		recorded := settle.ReportedCommits{Ids: []string{id}, Origins: w.rewrites}
		list := recorded.Roots()
		if w.ledger != nil {
			list = append(list, w.ledger.Origins(id)...)
		}
		if len(list) > 0 {
			forms[id] = list
		}
	}
	return forms
}

// findMade finds the entries with commits that were rewritten, by the given earlier
// forms of commits.
func (w *makers) findMade(before map[string][]string) {
	became := map[string][]string{}
	wanted := settle.IdSet{}
	for id, list := range before {
		wanted.Add(list...)
		for _, old := range list {
			became[old] = append(became[old], id)
		}
	}
	if len(wanted) == 0 {
		return
	}
	for b := range w.stored.entriesIn(w.stored.memory.naming(wanted)) {
		for _, own := range b.Entry.Commits {
			for _, id := range became[own.ID] {
				w.claim(id, claim{b.Entry.ID, []string{own.ID}, claimMade})
			}
		}
	}
}

// maxCopied limits how many unnamed commits of a file are compared with others
// to find their originals, the newest first.
const maxCopied = 300

// findCopied finds the entries with commits that were copied, as by a cherry-pick, and
// the runs with uncommitted edits that the copies contain.
func (w *makers) findCopied(missing settle.IdSet) {
	ids := slices.Collect(maps.Keys(missing))
	slices.SortFunc(ids, func(a, b string) int { return w.blamed[b].Time.Compare(w.blamed[a].Time) })
	commits, err := history.Read(w.ctx, app.GitFolder(w.mem), ids[:min(len(ids), maxCopied)])
	if w.degraded = app.AppendError(w.degraded, err); len(commits) == 0 {
		return
	}
	patches := w.patchesOf(commits)
	wanted := settle.IdSet{}
	for _, c := range commits {
		for _, f := range c.Files {
			if f.Blob != "" && f.Blob != changeset.NoBlob && w.names[f.Path] {
				wanted.Add(f.Blob)
			}
		}
	}
	for _, patch := range patches {
		wanted.Add(patch)
	}
	found := slices.Collect(w.stored.entriesOf(w.stored.memory.with(wanted.StandIn)))
	left := links.NewLeftovers(lists.Mapped(found, func(b lookup.StoredBlock) *memory.Entry { return b.Entry })...)
	for _, c := range commits {
		for _, b := range found {
			w.claimCopy(c, patches[c.ID], b.Entry)
		}
		for _, run := range left.Runs(c) {
			w.claim(c.ID, claim{run, nil, claimLeft})
		}
	}
}

// claimCopy adds the claim of an entry on a commit that makes the same change as one
// of the entry's commits, under the same title.
func (w *makers) claimCopy(c history.Commit, patch string, e *memory.Entry) {
	for i, own := range e.Commits {
		title := e.Title
		if own.Subject != "" {
			title = memory.Title(own.Subject)
		}
		if patch != "" && i < len(e.Patch) && e.Patch[i] == patch && memory.SameTitle(title, memory.Title(w.mem.Redact.Text(c.Subject))) {
			w.claim(c.ID, claim{e.ID, []string{own.ID}, claimMade})
		}
	}
}

// patchesOf returns the patch ids of commits, by their ids.
func (w *makers) patchesOf(commits []history.Commit) map[string]string {
	var ids []string
	for _, c := range commits {
		if len(c.Parents) < 2 && c.Unread == "" && len(c.Files) <= gitwatch.MaxPatchPaths {
			ids = append(ids, c.ID)
		}
	}
	repo, err := w.repo()
	if err != nil || len(ids) == 0 {
		return nil
	}
	patches, _ := repo.PatchIDs(w.ctx, ids...)
	return patches
}
