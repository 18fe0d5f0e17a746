// Package trust accepts settings and memory that came with the repository, and revokes that.
package trust

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"agentflow/app"
	"agentflow/internal/config"
)

// Request selects the part of a repository to trust.
type Request struct {
	Memory bool // the memory that came with the repository; otherwise its settings
}

// Plan is what ApplyTrust would accept.
type Plan struct {
	Path     string // the settings file, or the memory folder
	Settings []byte // the contents of the settings file; nil of memory
	Files    []File // memory files that are not accepted yet
	Degraded []string

	memory  bool
	tracked map[string]string
}

// Empty reports that there is nothing to accept.
func (p Plan) Empty() bool { return p.Settings == nil && len(p.Files) == 0 }

// File is a memory file that came with the repository.
type File struct {
	Name string // relative to the .agentflow folder, '/' separated
	Size int64  // bytes; 0 when it is not there
}

// PlanFor reads what the user is asked to trust. It is an error of
// KindRefused if accepting would not help.
func PlanFor(ctx context.Context, m *app.Memory, req Request) (plan Plan, err error) {
	o := m.Begin(ctx)
	defer o.End(&plan.Degraded, &err)
	if req.Memory {
		return planMemoryTrust(ctx, o)
	}
	return planSettingsTrust(o)
}

// Result names the settings file or folder that is trusted now, or no longer.
type Result struct {
	Path     string // the settings file, or the memory folder
	Degraded []string
}

// Apply accepts the contents of the plan. It is an error of KindRefused if
// they have changed since.
func Apply(ctx context.Context, m *app.Memory, plan Plan) (result Result, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	result.Path = plan.Path
	changed := &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("trusting %s: it changed meanwhile", plan.Path), Hint: "look at it again with 'agentflow trust'"}
	if !plan.memory {
		file, dirs, err := settingsPlace(o)
		if err != nil {
			return result, err
		}
		if now, err := config.ReadRepoFile(file); err != nil || !bytes.Equal(now, plan.Settings) {
			return result, changed
		}
		return result, dirs.Trust().Grant(file, plan.Settings)
	}
	s, err := openToTrust(ctx, o)
	if err != nil {
		return result, err
	}
	u := app.FindUntrusted(ctx, s)
	if u.Reason != "" || !maps.Equal(u.Tracked, plan.tracked) {
		changed.Hint += " --memory"
		return result, changed
	}
	return result, acceptMemory(s, u)
}

// Revoke revokes the trust in the settings, or in all memory files.
func Revoke(ctx context.Context, m *app.Memory, req Request) (result Result, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	if req.Memory {
		s, err := openToTrust(ctx, o)
		if err != nil {
			return result, err
		}
		result.Path = s.Memory()
		return result, s.Dirs.MemoryTrust().Set(s.Memory(), config.Accepted{})
	}
	file, dirs, err := settingsPlace(o)
	if result.Path = file; err != nil {
		return result, err
	}
	return result, dirs.Trust().Revoke(file)
}

// settingsPlace returns the settings file of the repository, and the user's own
// folders, which must exist: trust is stored in them.
func settingsPlace(o *app.Operation) (string, config.Dirs, error) {
	place, dirs, err := o.Place()
	if err == nil && dirs.State == "" {
		err = fmt.Errorf("trusting %s: there is no folder of yours to keep that in", place.ConfigFile())
	}
	return place.ConfigFile(), dirs, err
}

func openToTrust(ctx context.Context, o *app.Operation) (*app.Repo, error) {
	s, err := o.OpenExisting(ctx)
	if err == nil && s.Dirs.State == "" {
		err = errors.New("trusting memory: there is no folder of yours to keep that in")
	}
	return s, err
}

func planSettingsTrust(o *app.Operation) (Plan, error) {
	file, _, err := settingsPlace(o)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Path: file}
	plan.Settings, err = config.ReadRepoFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return plan, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("this repository has no settings to trust: there is no %s", file),
			Hint: "'agentflow trust --memory' accepts the memory that came with it"}
	case err != nil:
		return plan, fmt.Errorf("trusting the settings: %w", err)
	case plan.Settings == nil:
		plan.Settings = []byte{} // an empty file can be trusted too
	}
	return plan, nil
}

func planMemoryTrust(ctx context.Context, o *app.Operation) (Plan, error) {
	s, err := openToTrust(ctx, o)
	if err != nil {
		return Plan{}, err
	}
	b := app.FindUntrusted(ctx, s)
	plan := Plan{Path: s.Memory(), memory: true, tracked: b.Tracked}
	switch state := filepath.Join(s.Root, "state"); {
	case b.Reason != "":
		return plan, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("trusting memory: %s", b.Reason), Hint: b.Hint}
	case len(b.Refused) == 0:
		return plan, nil
	case b.State():
		return plan, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("trusting memory: git tracks %s, which only agentflow may write", state),
			Hint: "'git rm -r --cached " + state + "' leaves it to agentflow"}
	}
	for _, name := range b.Names() {
		file := File{Name: name}
		if info, err := os.Lstat(filepath.Join(s.Root, filepath.FromSlash(name))); err == nil {
			file.Size = info.Size()
		}
		plan.Files = append(plan.Files, file)
	}
	return plan, nil
}
