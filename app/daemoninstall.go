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

	"agentflow/internal/atomicfile"
)

// service describes the daemon of this repository.
func (s *site) service() (service, error) {
	program, err := os.Executable()
	if err != nil {
		return service{}, fmt.Errorf("finding this program: %w", err)
	}
	sum := sha256.Sum256([]byte(s.State()))
	out := service{Name: "agentflow-" + hex.EncodeToString(sum[:4]), Program: program, Folder: s.Worktree, Log: filepath.Join(s.State(), "daemon.log")}
	if out.Folder == "" {
		out.Folder = filepath.Dir(s.Root)
	}
	out.Environ, out.LeftOut = s.daemonEnviron()
	out.Secrets = s.secretsFile()
	if err := out.representable(runtime.GOOS); err != nil {
		return service{}, fmt.Errorf("installing the daemon: %w", err)
	}
	return out, nil
}

// file is where the service stands for a system, what stands in it, and what
// starts and stops it; an empty path where there is no such file.
func (s service) file(goos string, getenv func(string) string) (path string, text []byte, start, stop []string) {
	home := getenv("HOME")
	switch goos {
	case "linux":
		base := getenv("XDG_CONFIG_HOME")
		if base == "" {
			base = filepath.Join(home, ".config")
		}
		unit := s.Name + ".service"
		return filepath.Join(base, "systemd", "user", unit), s.systemdUnit(),
			[]string{"systemctl --user daemon-reload", "systemctl --user enable --now " + unit},
			[]string{"systemctl --user disable --now " + unit}
	case "darwin":
		path := filepath.Join(home, "Library", "LaunchAgents", s.Name+".plist")
		return path, s.launchdPlist(),
			[]string{"launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/" + s.Name + ".plist"},
			[]string{"launchctl bootout gui/$(id -u)/" + s.Name}
	}
	return "", nil, nil, nil
}

// serviceHere is the service of the repository that the command is run in.
func (a *operation) serviceHere(ctx context.Context) (service, error) {
	s, err := a.existing(ctx)
	if err != nil {
		return service{}, err
	}
	return s.service()
}

// installDaemon writes the file and says what is left to do.
func (a *operation) installDaemon(ctx context.Context) error {
	unit, err := a.serviceHere(ctx)
	if err != nil {
		return err
	}
	path, text, start, _ := unit.file(runtime.GOOS, a.getenv)
	if path == "" {
		a.say("there is no file to write on %s", runtime.GOOS)
		if runtime.GOOS == "windows" {
			a.printf("%s\n", unit.schtasksCommand())
		}
		return nil
	}
	had, err := ourService(path)
	if err != nil {
		return err
	}
	if had != nil && bytes.Equal(had, text) {
		a.say("%s is there already", path)
	} else if err := writeService(path, text); err != nil {
		return err
	} else {
		a.say("wrote %s", path)
	}
	a.say("nothing is started yet; these start it, now and with each session:")
	for _, command := range start {
		a.printf("%s\n", command)
	}
	if runtime.GOOS == "linux" {
		a.hint("'loginctl enable-linger' lets it run while you are logged out; 'journalctl --user -u %s' shows what it says", unit.Name)
	}
	unit.tellLeftOut(a, runtime.GOOS)
	return nil
}

func writeService(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("installing the daemon: %w", err)
	}
	if err := atomicfile.Write(path, text, 0o644); err != nil {
		return fmt.Errorf("installing the daemon: %w", err)
	}
	return nil
}

// ourService reads what --install wrote to path; nil when nothing is there.
// Anything else that is there is an error: it is somebody's work.
func ourService(path string) ([]byte, error) {
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

// installedService is the file that --install wrote for this repository;
// empty when there is none.
func (s *site) installedService() string {
	unit, err := s.service()
	if err != nil {
		return ""
	}
	path, _, _, _ := unit.file(runtime.GOOS, s.getenv)
	if had, err := ourService(path); path == "" || err != nil || had == nil {
		return ""
	}
	return path
}

// uninstallDaemon removes the file.
func (a *operation) uninstallDaemon(ctx context.Context) error {
	unit, err := a.serviceHere(ctx)
	if err != nil {
		return err
	}
	path, _, _, stop := unit.file(runtime.GOOS, a.getenv)
	if path == "" {
		a.say("--install writes no file on %s", runtime.GOOS)
		return nil
	}
	had, err := ourService(path)
	if err != nil {
		return err
	}
	if had == nil {
		a.say("there is no %s", path)
		return nil
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("removing the daemon: %w", err)
	}
	a.say("removed %s; what still runs ends with:", path)
	for _, command := range stop {
		a.printf("%s\n", command)
	}
	return nil
}
