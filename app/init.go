package app

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"
	"sync"

	"agentflow/internal/config"
	"agentflow/memory"
)

// OpenPlace opens the memory of a place with the settings in force there. It returns an error if memory is switched
// off, except for operations that need only the place.
func OpenPlace(ctx context.Context, o *Operation, place config.Place, dirs config.Dirs) (*Repo, error) {
	settings, err := o.LoadOn(place, dirs)
	if err != nil && !(o.EvenOff && IsSwitchedOff(err)) {
		return nil, err
	}
	if place.HasMemory() && !o.Policy.Remote {
		NoteMemory(o, place, dirs)
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
		NoteMemory(o, place, dirs)
		o.Say("made a private memory in %s (git ignores it)", place.Root)
	}
	s.Topics.Recover(ctx, s)
	return s, nil
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

// PendingHint explains work that waits for a later command.
const PendingHint = "'agentflow status' lists pending work; the next command tries again"
