package consolidate

import (
	"context"
	"maps"
	"slices"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/share"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback"
)

// UpgradeRequest selects the memory to upgrade.
type UpgradeRequest struct {
	Namespace string // empty: the repository's memory; global: the user's own
	DryRun    bool   // change nothing
}

// UpgradeResult is the result of an upgrade.
type UpgradeResult struct {
	api.MemoryUpgrade
	Degraded []string
}

// Upgrade writes the entries of memory in the newest version of their layout, all of them or
// none. It asks the user nothing. Errors are of KindUsage, KindNoPlace, KindRefused (nothing
// was ever remembered in the user's own memory) and KindLocked.
func Upgrade(ctx context.Context, m *app.Memory, req UpgradeRequest) (result UpgradeResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	s, err := OpenWhole(ctx, o, req.Namespace, "an upgrade")
	if err != nil {
		return result, err
	}
	err = s.Store.Revise(ctx, func(files map[string][]byte) (writeback.Change, error) {
		result.MemoryUpgrade = api.MemoryUpgrade{DryRun: req.DryRun, Files: []string{}}
		edits := upgrades(files, &result.MemoryUpgrade)
		if result.Diff = diffOf(edits); req.DryRun {
			return writeback.Change{}, nil
		}
		return writeback.Change{Command: "upgrade", Title: "upgrade of memory", Edits: edits}, ctx.Err()
	})
	if err == nil && !req.DryRun && len(result.Files) > 0 {
		share.FinishWrite(ctx, s, "upgrade")
	}
	return result, err
}

// upgrades plans the edits, and records them in done.
func upgrades(files map[string][]byte, done *api.MemoryUpgrade) (edits []memory.FileEdit) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if memory.InNotes(name) || name == memory.FeedbackFile {
			continue
		}
		text, n := markdown.Upgrade(files[name])
		for _, b := range markdown.Parse(text).Blocks {
			if b.Version == 1 {
				done.Left++
			}
		}
		if n > 0 {
			done.Files, done.Entries = append(done.Files, name), done.Entries+n
			edits = append(edits, memory.FileEdit{File: name, Before: files[name], After: text})
		}
	}
	return edits
}
