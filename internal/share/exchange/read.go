package exchange

import (
	"context"
	"slices"

	"agentflow/internal/share"
	"agentflow/memory/markdown"
)

// texts reads files of a folder.
func (r reader) texts(ctx context.Context, tree string, files []share.File) (map[string][]byte, error) {
	found := map[string][]byte{}
	if len(files) == 0 {
		return found, nil
	}
	items, err := r.repo.List(ctx, tree, true)
	if err != nil {
		return nil, err
	}
	names := map[string][]string{}
	var ids []string
	for _, i := range items {
		if slices.ContainsFunc(files, func(f share.File) bool { return f.Name == i.Name }) {
			names[i.ID] = append(names[i.ID], i.Name)
			ids = append(ids, i.ID)
		}
	}
	return found, r.repo.Blobs(ctx, ids, func(id string, data []byte) error {
		for _, name := range names[id] {
			found[name] = data
		}
		return nil
	})
}

// folderAt returns the files of a folder that was checked before.
func (r reader) folderAt(ctx context.Context, tree string) (map[string][]byte, error) {
	m, err := r.manifestAt(ctx, tree)
	if err != nil {
		return nil, err
	}
	return r.texts(ctx, tree, m.Files)
}

// purgedTexts returns the entries and facts with some ids in the histories of commits, without
// repetitions. It leaves out files that the tip holds unchanged.
func (r reader) purgedTexts(ctx context.Context, ids map[string]bool, commits []string, tip string) (texts []Text, err error) {
	seen := map[string]bool{}
	err = r.repo.Lost(ctx, commits, tip, func(data []byte) {
		doc := markdown.Parse(data)
		for _, id := range doc.IDs() {
			if !ids[id] {
				continue
			}
			if _, text, ok := doc.Remove(id); ok && !seen[id+string(text)] {
				seen[id+string(text)] = true
				texts = append(texts, Text{id, text})
			}
		}
	})
	return texts, err
}
