package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/internal/config"
)

// Left is a file that Uninstall did not touch, with the reason.
type Left struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Uninstall removes our hooks, puts the earlier ones back, and returns the paths of the removed
// ones and the files it left. Events that Take has not passed on yet stay.
func Uninstall(ctx context.Context, place config.Place) (gone []string, left []Left, failed error) {
	if place.CommonDir == "" {
		return nil, nil, ErrNoGit
	}
	if _, err := os.Stat(filepath.Join(place.State(), folderName)); err != nil {
		return takeOut(ctx, place) // there is no folder for a lock, but there may be hooks
	}
	failed = withLock(ctx, place, func() (err error) {
		gone, left, err = takeOut(ctx, place)
		return err
	})
	if failed == nil {
		failed = removeState(place.State())
	}
	return gone, left, failed
}

func takeOut(ctx context.Context, place config.Place) (gone []string, left []Left, failed error) {
	spots, err := Look(ctx, place)
	known, unread := readRecord(filepath.Join(place.State(), folderName))
	failed = errors.Join(err, unread)
	for _, s := range spots {
		usual := filepath.Join(s.folder.path, s.Hook)
		known.addPossible(s.Hook, s.Path, usual, usual+".legacy", usual+".old")
		if s.State == ByHand {
			left = append(left, Left{s.Path, "you had it call agentflow; the call does nothing now, and can be taken out"})
		}
	}
	// Our hook may have been renamed since. The earlier hook then goes to that place, so renamed
	// hooks come first.
	slices.SortStableFunc(known.Hooks, func(a, b placed) int { return cmp.Compare(b.ending(), a.ending()) })
	for _, p := range known.Hooks {
		was, why, err := p.takeOut()
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("taking out the hook %s: %w", p.Path, err))
		}
		if was {
			gone = append(gone, p.Path)
		}
		if why != "" {
			left = append(left, Left{p.Path, why})
		}
	}
	if failed != nil {
		return gone, left, failed
	}
	return gone, left, known.removeExcludes(place.CommonDir)
}

// takeOut removes one hook. It reports whether there was one, or why it stays.
func (p placed) takeOut() (was bool, left string, err error) {
	text, _, err := readHook(p.Path)
	if err != nil {
		return false, "", err
	}
	before := filepath.Join(filepath.Dir(p.Path), beforeName(p.Hook))
	_, absent := os.Lstat(before)
	ours, intact := recognise(text)
	switch {
	case ours && intact:
		return true, "", moveBack(p.Path, before)
	case ours:
		return false, "somebody changed it since it was installed", nil
	case absent != nil || p.ending() != "":
		return false, "", nil
	case text == nil:
		return true, "", moveBack(p.Path, before)
	}
	return false, "somebody put it over ours; what was there before is kept as " + before, nil
}

// ending returns the suffix that a hook manager gave our hook when it renamed it.
func (p placed) ending() string { return strings.TrimPrefix(filepath.Base(p.Path), p.Hook) }

// removeState removes the files that Install made, unless events are waiting.
func removeState(state string) error {
	folder := filepath.Join(state, folderName)
	for _, name := range []string{noteName, recordName} {
		if err := os.Remove(filepath.Join(folder, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if Pending(state) {
		return nil
	}
	return os.RemoveAll(folder)
}
