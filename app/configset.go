package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"agentflow/config"
	"agentflow/internal/atomicfile"
	"agentflow/internal/repofile"
)

// SetConfigRequest puts one setting into a settings file.
type SetConfigRequest struct {
	Key        string  // such as recall.top
	Value      *string // as in TOML, or plain text; nil takes the setting out of the file
	Repository bool    // in the repository's file, and not in the user's own
}

// SetConfigResult names the file that was changed.
type SetConfigResult struct {
	File     string // absolute
	Degraded []string
}

// SetConfig changes one setting of a settings file, which it makes when there
// is none, and leaves everything else in the file as it is.
//
// Errors are of KindUsage (there is no such setting, its value does not suit
// it, or a repository may not set it), KindNotFound (it is not set there),
// KindNoPlace and KindRefused (only a person can change the file).
func (m *Memory) SetConfig(ctx context.Context, req SetConfigRequest) (result SetConfigResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	place, dirs, err := o.placeOrNone()
	if err != nil {
		return result, err
	}
	result.File = dirs.ConfigFile()
	read := config.ReadUserFile
	if req.Repository {
		if place.Root == "" {
			return result, config.ErrNoPlace
		}
		if err := repositorySets(req.Key); err != nil {
			return result, err
		}
		result.File, read = place.ConfigFile(), config.ReadRepoFile
	}
	before, err := read(result.File)
	if err != nil && !repofile.IsAbsent(err) {
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
			return nil, &Error{Kind: KindNotFound, Err: err, Hint: "'agentflow config' says where each setting comes from"}
		}
		return after, refused(err)
	}
	if p := config.Defaults().Set("", req.Key, *req.Value); p != nil {
		return nil, &Error{Kind: KindUsage, Err: fmt.Errorf("setting %s: %s", req.Key, p.Message), Hint: "'agentflow config' lists the settings"}
	}
	after, err := config.Edit(before, req.Key, *req.Value)
	return after, refused(err)
}

func refused(err error) error {
	if err != nil {
		err = &Error{Kind: KindRefused, Err: err}
	}
	return err
}

// repositorySets says whether a repository's file may hold a setting.
func repositorySets(key string) error {
	ok := slices.ContainsFunc(config.Settings(), func(s config.Setting) bool { return s.Key == key && s.Repository })
	if ok {
		return nil
	}
	return &Error{Kind: KindUsage, Err: fmt.Errorf("setting %s: a repository cannot set it", key), Hint: "without --repository it goes into your own file"}
}
