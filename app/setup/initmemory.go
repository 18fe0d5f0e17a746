package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"agentflow/app"
	"agentflow/app/indexes"
	"agentflow/app/settle"
	"agentflow/gitwatch/history"
	"agentflow/internal/config"
)

// FirstConfig returns the settings file that Init writes for a repository.
func FirstConfig() string {
	return `# AgentFlow settings of this repository. 'agentflow config' shows every value.
# A repository may set
#     [` + strings.Join(config.RepositorySections(), "], [") + `];
# agents, limits and what runs programs belong in your own file (or here, after
# 'agentflow trust').

[recall]
# top = 5          # entries in front of a prompt
# budget = 2000    # tokens for them
`
}

// InitResult reports where the memory is.
type InitResult struct {
	Root     string // the .agentflow folder, absolute
	Made     bool   // it did not exist before
	Ignored  bool   // git ignores it
	Commits  int    // of the history, that Backfill would read by default; 0 if the memory existed before
	Degraded []string
}

// Init creates a memory in the repository, or in the folder if there is no repository. It overwrites nothing, and
// restores files that had vanished.
func Init(ctx context.Context, m *app.Memory) (result InitResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	place, dirs, err := o.Place()
	if errors.Is(err, config.ErrNoPlace) {
		place, err = config.New(o.Dir)
	}
	if err != nil {
		return result, err
	}
	_, absent := os.Stat(place.Memory())
	result = InitResult{Root: place.Root, Made: absent != nil, Ignored: place.CommonDir != ""}
	s, err := app.OpenPlace(ctx, o, place, dirs)
	if err != nil {
		return result, err
	}
	if err := s.Store.Folder.Prepare(); err != nil {
		return result, err
	}
	if result.Made {
		s.Topics.Recover(ctx, s) // vanished files come back as they were, not as new ones
	}
	if err := s.Store.Folder.Init(); err != nil {
		return result, err
	}
	app.NoteMemory(o, place, dirs)
	s.Topics.Recover(ctx, s)
	if err := WriteOnce(place.ConfigFile(), FirstConfig()); err != nil {
		return result, err
	}
	indexes.Reindex(ctx, s, "init")
	if result.Made && result.Ignored {
		refs, _ := history.IDs(ctx, app.GitFolder(s), history.Range{Last: settle.BackfillLast}) // unreadable history: 0 commits
		result.Commits = len(refs)
	}
	return result, nil
}

// WriteOnce writes a file unless it exists.
func WriteOnce(path, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
