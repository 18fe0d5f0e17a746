package commit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/settle"
	"agentflow/gitwatch/hook"
	"agentflow/internal/config"
	"agentflow/internal/lists"
)

// HooksResult lists the git hooks, in each folder in which git looks for them.
type HooksResult struct {
	Hooks    []api.Hook
	Missed   string // says that a hook could not note a commit, and why; empty: no such failure is known
	Degraded []string
}

// Hooks reports which hooks are installed, and whether git runs them.
func Hooks(ctx context.Context, m *app.Memory) (result HooksResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	place, err := gitPlace(o)
	if err != nil {
		return result, err
	}
	if err := app.On(o); err != nil {
		o.Warn("%v: hooks note nothing", err)
	}
	spots, err := hook.Look(ctx, place)
	result.Hooks, result.Missed = HookObjects(spots), MissedNote(place)
	return result, err
}

// InstallHooks installs the hooks for commit, amend and rebase in the folders where git looks for them. If git does not
// run all of them, the error has KindRefused, and the result lists the remaining steps for the user.
func InstallHooks(ctx context.Context, m *app.Memory) (result HooksResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	place, err := gitPlace(o)
	if err == nil {
		err = errors.Join(app.On(o), app.StaysInside(place))
	}
	if err != nil {
		return result, err
	}
	spots, err := hook.Install(ctx, place)
	if err == nil {
		err = errors.Join(place.Note(), settle.StartNoting(place.CommonDir, place.State()))
	}
	result.Hooks = HookObjects(spots)
	return result, errors.Join(err, leftToDo(spots))
}

// UninstallHooksResult lists the hooks that were removed and those that were not.
type UninstallHooksResult struct {
	Removed  []string // paths
	Left     []HookLeft
	Degraded []string
}

// HookLeft is a hook that was not removed.
type HookLeft struct{ Path, Why string }

// UninstallHooks removes the hooks and restores, byte for byte, the files that they replaced. It leaves a hook that was
// changed since its installation.
func UninstallHooks(ctx context.Context, m *app.Memory) (result UninstallHooksResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	place, err := gitPlace(o)
	if err == nil {
		result, err = UninstallHooksAt(ctx, place)
	}
	return result, err
}

// UninstallHooksAt is UninstallHooks for a place.
func UninstallHooksAt(ctx context.Context, place config.Place) (UninstallHooksResult, error) {
	removed, left, err := hook.Uninstall(ctx, place)
	result := UninstallHooksResult{Removed: removed, Left: lists.Mapped(left, func(l hook.Left) HookLeft { return HookLeft{l.Path, l.Why} })}
	return result, errors.Join(err, settle.StopNoting(place.State()))
}

// gitPlace returns the place of the git repository, or an error if there is none.
func gitPlace(o *app.Operation) (config.Place, error) {
	place, _, err := o.Place()
	if err == nil && place.CommonDir == "" {
		err = &app.Error{Kind: app.KindNoPlace, Err: fmt.Errorf("looking for hooks in %s: %w", place.Worktree, hook.ErrNoGit), Hint: "run 'git init' first"}
	}
	return place, err
}

// HookObjects converts hooks to JSON objects.
func HookObjects(spots []hook.Spot) []api.Hook {
	return lists.Mapped(spots, func(s hook.Spot) api.Hook {
		return api.Hook{Hook: s.Hook, State: string(s.State), Path: s.Path, Worktrees: s.Worktrees, Manager: s.Manager, Chained: s.Chained,
			Shared: s.Shared, Detail: s.Detail, Add: s.Add, AddTo: s.AddTo}
	})
}

// leftToDo returns an error if git does not run every hook after an installation.
func leftToDo(spots []hook.Spot) error {
	var names []string
	for _, s := range spots {
		if !s.State.Works() && !slices.Contains(names, s.Hook) {
			names = append(names, s.Hook)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("git does not run %s yet: the rest is for you to do", strings.Join(names, " and ")),
		Hint: "follow the lines above, then check with 'agentflow hook status'"}
}

// MissedNote describes the last commit that a hook could not note. It is empty if there is no such commit.
func MissedNote(place config.Place) string {
	at, missed := hook.Missed(place.State())
	if !missed {
		return ""
	}
	return fmt.Sprintf("a hook could not note a commit at %s, because %s cannot be written or is full; git's reflog has it",
		at.Local().Format("2006-01-02 15:04"), filepath.Join(place.State(), "hook"))
}

// InstalledHooks returns the hooks of this repository if hooks were ever installed. Otherwise it does not call git.
func InstalledHooks(ctx context.Context, s *app.Repo) ([]hook.Spot, error) {
	if _, err := os.Stat(filepath.Join(s.State(), "hook")); err != nil || s.CommonDir == "" {
		return nil, nil
	}
	return hook.Look(ctx, s.Place)
}

// HookRemedy says which file mends the first hook that git does not run, and how.
func HookRemedy(hooks []api.Hook) string {
	for _, h := range hooks {
		switch hook.State(h.State) {
		case hook.Missing, hook.Broken:
			return "'agentflow hook install' writes " + h.Path
		case hook.Wanted:
			return fmt.Sprintf("add to %s the lines that 'agentflow hook status' prints", h.AddTo)
		case hook.Off:
			return fmt.Sprintf("git does not run %s: 'agentflow hook status' says why", h.Path)
		}
	}
	return ""
}

// HooksInWords describes the hooks on one line, and reports whether git runs all of them.
func HooksInWords(hooks []api.Hook) (line string, works bool) {
	if len(hooks) == 0 {
		return "none; 'agentflow hook install' makes git record each commit", true
	}
	states, works := map[string][]string{}, true
	var order []string
	for _, h := range hooks {
		if states[h.State] == nil {
			order = append(order, h.State)
		}
		states[h.State] = append(states[h.State], h.Hook)
		works = works && hook.State(h.State).Works()
	}
	var parts []string
	for _, state := range order {
		parts = append(parts, strings.Join(states[state], ", ")+" "+state)
	}
	line = strings.Join(parts, "; ")
	if len(order) > 1 || !works {
		line += "; 'agentflow hook status' says more"
	}
	return line, works
}
