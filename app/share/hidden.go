package share

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/indexes"
	"agentflow/app/lookup"
	apppurge "agentflow/app/purge"
	"agentflow/app/sharing"
	"agentflow/internal/atomicfile"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/memory/quote"
)

// hiddenItem is an entry or a fact that another person shares and that is hidden here. The mirror of shared memory
// omits it, so no reader of memory finds it.
type hiddenItem struct {
	ID     string   `json:"id"`
	Also   []string `json:"also,omitempty"` // ids that were merged into it
	Title  string   `json:"title"`
	File   string   `json:"file"` // the file that held it, as hits name it
	Author string   `json:"author"`
	Back   bool     `json:"back,omitempty"` // it was hidden once and is shown again
}

// hiddenIDs returns the ids that are hidden now, and those that were hidden once and are shown again.
func hiddenIDs(list []hiddenItem) (ids, back []string) {
	for _, h := range list {
		to := &ids
		if h.Back {
			to = &back
		}
		*to = append(append(*to, h.ID), h.Also...)
	}
	return ids, back
}

func hiddenFile(s *app.Repo) string { return filepath.Join(s.State(), "share-hidden.json") }

// Hidden lists the items hidden here, including those that are shown again (Back).
func Hidden(s *app.Repo) (list []hiddenItem, err error) {
	data, err := os.ReadFile(hiddenFile(s))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the list of hidden shared items: %w", err)
	}
	return list, nil
}

// changeHidden changes the list of hidden items, then the mirror and the index. No sync runs at the same time.
func changeHidden(ctx context.Context, s *app.Repo, command string, change func([]hiddenItem) []hiddenItem) error {
	c, err := sharing.MustRead(s)
	if err != nil {
		return err
	}
	clone, err := clone(ctx, s, c)
	if err != nil {
		return err
	}
	err = clone.Hide(ctx, func() ([]string, error) {
		list, err := Hidden(s)
		if err != nil {
			return nil, err
		}
		list = change(list)
		data, err := json.MarshalIndent(list, "", "\t")
		if err == nil {
			err = atomicfile.Write(hiddenFile(s), append(data, '\n'), 0o600)
		}
		ids, _ := hiddenIDs(list)
		return ids, err
	})
	indexes.Reindex(ctx, s, command)
	return err
}

// Hide hides items that others share. A purge also removes their text from the index for good.
func Hide(ctx context.Context, s *app.Repo, targets []apppurge.ForgetTarget, purge bool) error {
	err := changeHidden(ctx, s, "forget", func(list []hiddenItem) []hiddenItem {
		for _, t := range targets {
			file, _, _ := strings.Cut(t.Place, ":")
			h := hiddenItem{ID: t.ID, Title: memory.Title(t.Text), File: file, Author: t.Author}
			if t.Fact != nil {
				h.Also = slices.DeleteFunc(t.Fact.IDs(), func(id string) bool { return id == t.ID })
			}
			list = append(slices.DeleteFunc(list, func(o hiddenItem) bool { return o.ID == t.ID }), h)
		}
		return list
	})
	if err != nil || !purge {
		return err
	}
	for _, t := range targets {
		if s.IsGlobal() {
			s.Warn("%s is forgotten, but its text remains on another machine of yours, %s, until you purge it there", memory.ShortID(t.ID), quote.Name(t.Author))
			s.Hint("run 'agentflow forget --purge %s' and 'agentflow sync' there", memory.ShortID(t.ID))
			continue
		}
		s.Warn("%s is hidden here, and --purge does not reach it: %s shares it, and it is in the remote's ref and in every clone", memory.ShortID(t.ID), quote.Name(t.Author))
		s.Hint("ask %s to run 'agentflow forget --purge %s' and 'agentflow sync': it leaves each clone with its next sync", quote.Name(t.Author), memory.ShortID(t.ID))
	}
	return apppurge.PurgeIndex(ctx, s, lists.Mapped(targets, func(t apppurge.ForgetTarget) string { return t.ID })...)
}

// Unhide shows the hidden items that ids name again. It returns them and the other ids.
func Unhide(ctx context.Context, s *app.Repo, ids []string) (shown []api.Entry, others []string, err error) {
	list, err := Hidden(s)
	if err != nil || len(list) == 0 {
		return nil, ids, err
	}
	back := map[string]bool{}
	for _, id := range ids {
		var named []hiddenItem
		for _, h := range list {
			if EndsID(h.ID, id) && !h.Back {
				named = append(named, h)
			}
		}
		switch len(named) {
		case 0:
			others = append(others, id)
		case 1:
			back[named[0].ID] = true
			shown = append(shown, named[0].Entry())
		default:
			return nil, nil, lookup.Ambiguous("restoring %s: more than one id ends so", id)
		}
	}
	if len(shown) == 0 {
		return nil, others, nil
	}
	return shown, others, changeHidden(ctx, s, "memory restore", func(list []hiddenItem) []hiddenItem {
		for i := range list {
			list[i].Back = list[i].Back || back[list[i].ID]
		}
		return list
	})
}

// Entry returns the item as a JSON object.
func (h hiddenItem) Entry() api.Entry { return api.Entry{ID: h.ID, Title: h.Title, File: h.File} }
