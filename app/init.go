package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"agentflow/gitwatch/history"
	"agentflow/internal/config"
	"agentflow/memory"
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
func Init(ctx context.Context, m *Memory) (result InitResult, err error) {
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
	s, err := OpenPlace(ctx, o, place, dirs)
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
	noteMemory(o, place, dirs)
	s.Topics.Recover(ctx, s)
	if err := WriteOnce(place.ConfigFile(), FirstConfig()); err != nil {
		return result, err
	}
	Reindex(ctx, s, "init")
	if result.Made && result.Ignored {
		refs, _ := history.IDs(ctx, GitFolder(s), history.Range{Last: BackfillLast}) // unreadable history: 0 commits
		result.Commits = len(refs)
	}
	return result, nil
}

// OpenPlace opens the memory of a place with the settings in force there. It returns an error if memory is switched
// off, except for operations that need only the place.
func OpenPlace(ctx context.Context, o *Operation, place config.Place, dirs config.Dirs) (*Repo, error) {
	settings, err := o.LoadOn(place, dirs)
	if err != nil && !(o.EvenOff && IsSwitchedOff(err)) {
		return nil, err
	}
	if place.HasMemory() && o.Caller == nil {
		noteMemory(o, place, dirs)
	}
	return o.Assemble(ctx, place, dirs, settings)
}

// OpenToWrite opens the memory for an operation that adds to it. It first creates one in a repository without memory.
func (o *Operation) OpenToWrite(ctx context.Context) (*Repo, error) {
	place, dirs, err := o.Place()
	if err != nil {
		return nil, err
	}
	fresh := !place.HasMemory()
	s, err := OpenPlace(ctx, o, place, dirs)
	if err != nil {
		return nil, err
	}
	if err := s.Store.Folder.Prepare(); err != nil {
		s.Degraded("remember", []string{err.Error()}) // the log may still accept the entry
	} else if fresh {
		noteMemory(o, place, dirs)
		o.Say("made a private memory in %s (git ignores it)", place.Root)
	}
	s.Topics.Recover(ctx, s)
	return s, nil
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

// Shown returns a path relative to the folder of the Memory if that is shorter. It resolves the links of that folder
// first, because the system resolves ".." after following symlinks.
func (o *Operation) Shown(path string) string { return shownFrom(realFolder(o.Dir), path) }

// realFolder resolves the symlinks in the path of a folder.
func realFolder(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

func shownFrom(here, path string) string {
	if rel, err := filepath.Rel(here, path); err == nil && len(rel) < len(path) {
		return filepath.ToSlash(rel)
	}
	return path
}

// Locator returns a function that turns the name of a file in results into a path that can be opened. A name is
// "memory/2026-11-21.md" in the repository's memory, "global:memory/…" in the user's own, "docs/guide.md" for a file
// that the index includes, or an absolute path. Lines after the name, ":3-9", stay. The path is relative to the folder
// of the Memory if that is shorter.
func (m *Memory) Locator() func(name string) string {
	o := m.Silent()
	place, dirs, _ := o.Place()
	own := dirs.Global().Root
	root := cmp.Or(place.Root, own)
	here := sync.OnceValue(func() string { return realFolder(o.Dir) })
	shown := func(path string) string { return shownFrom(here(), path) }
	return func(name string) string {
		rest, ofOwn := strings.CutPrefix(name, memory.GlobalLabel)
		switch {
		case filepath.IsAbs(name):
			return shown(name)
		case strings.HasPrefix(rest, memory.SharedFolder): // there is no file with this name
			return name
		case ofOwn:
			return shown(filepath.Join(own, rest))
		case strings.HasPrefix(name, "memory/"):
			return shown(filepath.Join(root, name))
		}
		return shown(filepath.Join(filepath.Dir(root), name))
	}
}

// NotRecorded marks an error after which the entry is not in Markdown.
func NotRecorded(err error) error {
	return &Error{Kind: KindNotRecorded, Err: err, Hint: PendingHint}
}

// PendingHint is the hint for work that waits for a later command.
const PendingHint = "'agentflow status' lists pending work; the next command tries again"
