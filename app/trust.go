package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"agentflow/internal/config"
)

// TrustRequest selects the part of a repository to trust.
type TrustRequest struct {
	Memory bool // the memory that came with the repository; otherwise its settings
}

// TrustPlan is what ApplyTrust would accept.
type TrustPlan struct {
	Path     string      // the settings file, or the memory folder
	Settings []byte      // the contents of the settings file; nil of memory
	Files    []TrustFile // memory files that are not accepted yet
	Degraded []string

	memory  bool
	tracked map[string]string
}

// Empty reports that there is nothing to accept.
func (p TrustPlan) Empty() bool { return p.Settings == nil && len(p.Files) == 0 }

// TrustFile is a memory file that came with the repository.
type TrustFile struct {
	Name string // relative to the .agentflow folder, '/' separated
	Size int64  // bytes; 0 when it is not there
}

// PlanTrust reads what the user is asked to trust. It is an error of
// KindRefused if accepting would not help.
func PlanTrust(ctx context.Context, m *Memory, req TrustRequest) (plan TrustPlan, err error) {
	o := m.Begin(ctx)
	defer o.End(&plan.Degraded, &err)
	if req.Memory {
		return planMemoryTrust(ctx, o)
	}
	return planSettingsTrust(o)
}

// TrustResult names the settings file or folder that is trusted now, or no longer.
type TrustResult struct {
	Path     string // the settings file, or the memory folder
	Degraded []string
}

// ApplyTrust accepts the contents of the plan. It is an error of KindRefused if
// they have changed since.
func ApplyTrust(ctx context.Context, m *Memory, plan TrustPlan) (result TrustResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	result.Path = plan.Path
	changed := &Error{Kind: KindRefused, Err: fmt.Errorf("trusting %s: it changed meanwhile", plan.Path), Hint: "look at it again with 'agentflow trust'"}
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
	u := findUntrusted(ctx, s)
	if u.Reason != "" || !maps.Equal(u.tracked, plan.tracked) {
		changed.Hint += " --memory"
		return result, changed
	}
	return result, acceptMemory(s, u)
}

// RevokeTrust revokes the trust in the settings, or in all memory files.
func RevokeTrust(ctx context.Context, m *Memory, req TrustRequest) (result TrustResult, err error) {
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
func settingsPlace(o *Operation) (string, config.Dirs, error) {
	place, dirs, err := o.Place()
	if err == nil && dirs.State == "" {
		err = fmt.Errorf("trusting %s: there is no folder of yours to keep that in", place.ConfigFile())
	}
	return place.ConfigFile(), dirs, err
}

func openToTrust(ctx context.Context, o *Operation) (*Repo, error) {
	s, err := o.OpenExisting(ctx)
	if err == nil && s.Dirs.State == "" {
		err = errors.New("trusting memory: there is no folder of yours to keep that in")
	}
	return s, err
}

func planSettingsTrust(o *Operation) (TrustPlan, error) {
	file, _, err := settingsPlace(o)
	if err != nil {
		return TrustPlan{}, err
	}
	plan := TrustPlan{Path: file}
	plan.Settings, err = config.ReadRepoFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return plan, &Error{Kind: KindRefused, Err: fmt.Errorf("this repository has no settings to trust: there is no %s", file),
			Hint: "'agentflow trust --memory' accepts the memory that came with it"}
	case err != nil:
		return plan, fmt.Errorf("trusting the settings: %w", err)
	case plan.Settings == nil:
		plan.Settings = []byte{} // an empty file can be trusted too
	}
	return plan, nil
}

func planMemoryTrust(ctx context.Context, o *Operation) (TrustPlan, error) {
	s, err := openToTrust(ctx, o)
	if err != nil {
		return TrustPlan{}, err
	}
	b := findUntrusted(ctx, s)
	plan := TrustPlan{Path: s.Memory(), memory: true, tracked: b.tracked}
	switch state := filepath.Join(s.Root, "state"); {
	case b.Reason != "":
		return plan, &Error{Kind: KindRefused, Err: fmt.Errorf("trusting memory: %s", b.Reason), Hint: b.hint}
	case len(b.refused) == 0:
		return plan, nil
	case b.state():
		return plan, &Error{Kind: KindRefused, Err: fmt.Errorf("trusting memory: git tracks %s, which only agentflow may write", state),
			Hint: "'git rm -r --cached " + state + "' leaves it to agentflow"}
	}
	for _, name := range b.names() {
		file := TrustFile{Name: name}
		if info, err := os.Lstat(filepath.Join(s.Root, filepath.FromSlash(name))); err == nil {
			file.Size = info.Size()
		}
		plan.Files = append(plan.Files, file)
	}
	return plan, nil
}
