package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"agentflow/internal/atomicfile"
)

// InstallDaemonRequest describes how the daemon is started with the user's
// session.
type InstallDaemonRequest struct {
	Program   string // this program, absolute
	NoRestart []int  // exit codes of the daemon after which it is not started again
}

// InstalledDaemon is the file that starts the daemon with the user's session:
// a unit of systemd, or an agent of launchd.
type InstalledDaemon struct {
	Name     string   // of the service
	Path     string   // of its file, absolute; empty where the system has none
	Changed  bool     // the file was written, or removed, now
	Commands []string // that the user gives to start, or end, the daemon
	LeftOut  []string // variables of the environment that are not in the file, since others can read it
	Hints    []string // how it is used, and what gives it the variables that were left out
	Degraded []string
}

// InstallDaemon writes the file. It starts nothing. A file that somebody else
// wrote stays, with KindRefused.
func (m *Memory) InstallDaemon(ctx context.Context, req InstallDaemonRequest) (result InstalledDaemon, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	s, err := o.openExisting(ctx)
	if err != nil {
		return result, err
	}
	unit, err := s.service(req)
	if err != nil {
		return result, fmt.Errorf("installing the daemon: %w", err)
	}
	result = InstalledDaemon{Name: unit.Name, Path: unit.path(runtime.GOOS, s.getenv), Commands: unit.startCommands(runtime.GOOS), LeftOut: unit.LeftOut, Hints: unit.hints(runtime.GOOS)}
	if result.Path == "" {
		return result, nil
	}
	text := unit.text(runtime.GOOS)
	old, err := readService(result.Path)
	if err != nil || bytes.Equal(old, text) {
		return result, err
	}
	if err = os.MkdirAll(filepath.Dir(result.Path), 0o755); err == nil {
		err = atomicfile.Write(result.Path, text, 0o644)
	}
	if err != nil {
		return result, fmt.Errorf("installing the daemon: %w", err)
	}
	result.Changed = true
	return result, nil
}

// UninstallDaemon removes the file, if it is there. A daemon that runs goes
// on.
func (m *Memory) UninstallDaemon(ctx context.Context) (result InstalledDaemon, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	s, err := o.openExisting(ctx)
	if err != nil {
		return result, err
	}
	unit := service{Name: s.serviceName()}
	result = InstalledDaemon{Name: unit.Name, Path: unit.path(runtime.GOOS, s.getenv), Commands: unit.stopCommands(runtime.GOOS)}
	if result.Path == "" {
		return result, nil
	}
	old, err := readService(result.Path)
	if err != nil || old == nil {
		return result, err
	}
	if err := os.Remove(result.Path); err != nil {
		return result, fmt.Errorf("removing the daemon: %w", err)
	}
	result.Changed = true
	return result, nil
}

// serviceName is the name of this repository's service.
func (s *openMemory) serviceName() string {
	sum := sha256.Sum256([]byte(s.State()))
	return "agentflow-" + hex.EncodeToString(sum[:4])
}

// installedService is the file that InstallDaemon wrote for this repository;
// empty when there is none.
func (s *openMemory) installedService() string {
	path := service{Name: s.serviceName()}.path(runtime.GOOS, s.getenv)
	if path == "" {
		return ""
	}
	if text, err := readService(path); err != nil || text == nil {
		return ""
	}
	return path
}

// service describes the daemon of this repository.
func (s *openMemory) service(req InstallDaemonRequest) (service, error) {
	unit := service{Name: s.serviceName(), Program: req.Program, Folder: s.Worktree, Log: filepath.Join(s.State(), "daemon.log"), NoRestart: req.NoRestart,
		Secrets: filepath.Join(filepath.Dir(s.dirs.ConfigFile()), "daemon.env")}
	if unit.Folder == "" {
		unit.Folder = filepath.Dir(s.Root)
	}
	unit.Environ, unit.LeftOut = s.daemonEnviron()
	return unit, unit.representable(runtime.GOOS)
}

// readService reads the file that InstallDaemon wrote; nil when there is none.
// A file that somebody else wrote is an error.
func readService(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for the daemon's file: %w", err)
	}
	foreign := &Error{Kind: KindRefused, Err: fmt.Errorf("%s is there, and agentflow did not write it", path),
		Hint: "move it away first, if it is not needed"}
	if !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return nil, foreign
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("looking at the daemon's file: %w", err)
	}
	if head := text[:min(len(text), 500)]; !bytes.Contains(head, []byte("daemon --install")) && !bytes.Contains(head, []byte("daemon -install")) {
		return nil, foreign
	}
	return text, nil
}

// passedOn are the variables of this environment that the daemon gets: by
// the first, programs, settings and logins are found, by the others agents and
// embedders reach their services.
var (
	passedOn  = []string{"PATH", "HOME", "USER", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR"}
	reachedBy = []string{"ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY",
		"ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_VERTEX_BASE_URL", "ANTHROPIC_VERTEX_PROJECT_ID", "ANTHROPIC_FOUNDRY_BASE_URL", "ANTHROPIC_FOUNDRY_RESOURCE", "CLOUD_ML_REGION",
		"AWS_REGION", "AWS_PROFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "OPENAI_BASE_URL", "OLLAMA_HOST",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"}
)

// heldBack are the variables of agents that hold a secret: others can read the
// file that starts the daemon.
var heldBack = []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_FOUNDRY_API_KEY",
	"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "OPENAI_API_KEY"}

// daemonEnviron are the variables of this environment that the daemon gets, and
// the names of those that it needs and does not get: they hold a secret, or
// characters that no such file can hold.
func (s *openMemory) daemonEnviron() (list []variable, left []string) {
	for _, name := range passedOn {
		if value := s.getenv(name); value != "" {
			list = append(list, variable{name, value})
		}
	}
	for _, name := range reachedBy {
		value := s.getenv(name)
		switch {
		case value == "":
		case s.redact.Text(name+"="+value) != name+"="+value || strings.ContainsFunc(value, unprintable):
			left = append(left, name)
		default:
			list = append(list, variable{name, value})
		}
	}
	for _, name := range append(slices.Clone(heldBack), s.settings.Embed.APIKeyEnv) {
		if name != "" && s.getenv(name) != "" && !slices.Contains(left, name) {
			left = append(left, name)
		}
	}
	return list, left
}
