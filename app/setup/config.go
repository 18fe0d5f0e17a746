package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/connect"
	"agentflow/app/embedding"
	"agentflow/app/run"
	"agentflow/internal/atomicfile"
	"agentflow/internal/config"
	"agentflow/internal/lists"
	"agentflow/internal/safefile"
)

// ConfigResult lists every setting in a fixed order.
type ConfigResult struct {
	Values   []api.Setting // also valid with an error: each wrong value is replaced by the one in effect
	Degraded []string
}

// Config returns every setting in effect here, and where each came from. It works outside a
// repository too.
func Config(ctx context.Context, m *app.Memory) (result ConfigResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	place, dirs, err := connect.PlaceOrNone(o)
	if err != nil {
		return result, err
	}
	settings, err := o.Load(place, dirs)
	if settings == nil {
		return result, err
	}
	result.Values = lists.Mapped(settings.Values(), func(v config.Value) api.Setting { return api.Setting(v) })
	return result, err
}

// CheckConfig returns an error of KindUsage for any problem in the settings, including problems
// that only cause a warning in other operations.
func CheckConfig(ctx context.Context, m *app.Memory) (result run.Done, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	place, dirs, err := connect.PlaceOrNone(o)
	if err != nil {
		return result, err
	}
	settings, problems, _ := config.Load(o.Layers(place, dirs))
	if len(problems) > 0 {
		return result, &config.BadConfig{Problems: problems}
	}
	if _, err := embedding.Of(o, settings.Embed); err != nil {
		return result, app.Usagef("checking [embed]: %w", err)
	}
	return result, nil
}

// ConfigFilesResult names the settings files. They may not exist.
type ConfigFilesResult struct {
	User       string // the user's own, absolute
	Repository string // absolute; empty outside a repository
	Degraded   []string
}

// ConfigFiles returns the paths of the settings files.
func ConfigFiles(ctx context.Context, m *app.Memory) (result ConfigFilesResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	place, dirs, err := connect.PlaceOrNone(o)
	if result.User = dirs.ConfigFile(); place.Root != "" {
		result.Repository = place.ConfigFile()
	}
	return result, err
}

// SetConfigRequest sets one setting in a settings file, or lets a person edit the file.
type SetConfigRequest struct {
	Key        string                                       // such as recall.top
	Value      *string                                      // as in TOML, or plain text; nil removes the setting from the file
	Repository bool                                         // change the repository's file instead of the user's own
	Editor     func(ctx context.Context, file string) error // if not nil, replaces Key and Value: it lets the user edit the file
}

// SetConfigResult names the file that was changed.
type SetConfigResult struct {
	File     string // absolute
	Degraded []string
}

// SetConfig changes one setting of a settings file and leaves the rest of the file as it is. It
// creates the file if there is none. After an edit by a person it checks the settings and returns
// an error for any problem.
//
// Errors are of KindUsage (there is no such setting, the value is not valid for it, or a repository
// may not set it), KindNotFound (the file does not set it), KindNoPlace and KindRefused (only a
// person can change the file).
func SetConfig(ctx context.Context, m *app.Memory, req SetConfigRequest) (result SetConfigResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	place, dirs, err := connect.PlaceOrNone(o)
	if err != nil {
		return result, err
	}
	result.File = dirs.ConfigFile()
	read := config.ReadUserFile
	if req.Repository {
		if place.Root == "" {
			return result, config.ErrNoPlace
		}
		if err := repositorySets(req.Key); err != nil && req.Editor == nil {
			return result, err
		}
		result.File, read = place.ConfigFile(), config.ReadRepoFile
	}
	if req.Editor != nil {
		if err = os.MkdirAll(filepath.Dir(result.File), 0o700); err == nil {
			err = req.Editor(ctx, result.File)
		}
		if err == nil {
			_, err = CheckConfig(ctx, m)
		}
		return result, err
	}
	before, err := read(result.File)
	if err != nil && !safefile.IsAbsent(err) {
		return result, fmt.Errorf("reading %s: %w", result.File, err)
	}
	after, err := changedConfig(before, req)
	if err != nil {
		return result, err
	}
	if err := os.MkdirAll(filepath.Dir(result.File), 0o700); err != nil {
		return result, err
	}
	write := atomicfile.Write
	if req.Repository {
		write = atomicfile.WriteHere
	}
	return result, write(result.File, after, 0o600)
}

func changedConfig(before []byte, req SetConfigRequest) ([]byte, error) {
	if req.Value == nil {
		after, err := config.Unset(before, req.Key)
		if errors.Is(err, config.ErrNotSet) {
			return nil, &app.Error{Kind: app.KindNotFound, Err: err, Hint: "'agentflow config' says where each setting comes from"}
		}
		return after, refused(err)
	}
	if p := config.Defaults().Set("", req.Key, *req.Value); p != nil {
		return nil, &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("setting %s: %s", req.Key, p.Message), Hint: "'agentflow config' lists the settings"}
	}
	after, err := config.Edit(before, req.Key, *req.Value)
	return after, refused(err)
}

func refused(err error) error {
	if err != nil {
		err = &app.Error{Kind: app.KindRefused, Err: err}
	}
	return err
}

// repositorySets returns an error if a repository's file may not hold a setting.
func repositorySets(key string) error {
	ok := slices.ContainsFunc(config.Settings(), func(s config.Setting) bool { return s.Key == key && s.Repository })
	if ok {
		return nil
	}
	return &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("setting %s: a repository cannot set it", key), Hint: "without --repository it goes into your own file"}
}

// maxConfigCopy limits the bytes of a settings file that is copied. Files that people
// write have a few KB.
const maxConfigCopy = 256 << 10

// KeepConfig copies the repository's settings next to the log, where 'git clean' does not reach. It
// restores them if the memory folder had vanished and was restored. If only the settings file was
// removed, it removes the copy instead.
func KeepConfig(s *app.Repo, restored bool) {
	if s.CommonDir == "" || !safefile.IsDir(s.State()) {
		return
	}
	file, spare := s.ConfigFile(), filepath.Join(s.State(), "config.toml")
	copied, err := safefile.Read(spare, safefile.NoLink, maxConfigCopy)
	if err != nil && !safefile.IsAbsent(err) {
		return
	}
	now, err := safefile.Read(file, safefile.NoLink, maxConfigCopy)
	switch {
	case err == nil && !bytes.Equal(now, copied):
		_ = atomicfile.Write(spare, now, 0o600) // the next command tries again
	case safefile.IsAbsent(err) && restored && len(copied) > 0:
		if err := WriteOnce(file, string(copied)); err != nil {
			s.Degraded("recover", []string{"the settings that vanished with memory are not back: " + err.Error()})
			return
		}
		s.Say("restored the settings in %s, which had vanished too; they count from the next command on", file)
	case safefile.IsAbsent(err):
		_ = os.Remove(spare)
	}
}
