package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"agentflow/internal/invisible"
)

// lookup finds the program that name means in directory dir (absolute) with
// the given PATH. Errors wrap exec.ErrNotFound, exec.ErrDot, fs.ErrPermission
// or syscall.EISDIR.
func lookup(name, dir, path string) (string, error) {
	if name == "" {
		return "", fmt.Errorf("empty program name: %w", exec.ErrNotFound)
	}
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) || filepath.VolumeName(name) != "" {
		path := name
		if !filepath.IsAbs(name) {
			path = filepath.Join(dir, name)
		}
		file, err := program(path)
		if errors.Is(err, exec.ErrNotFound) {
			err = missingError(name) // PATH has no part in it
		}
		return file, err
	}
	for _, folder := range filepath.SplitList(path) {
		if filepath.IsAbs(folder) {
			if file, err := program(filepath.Join(folder, name)); err == nil {
				return file, nil
			}
			continue
		}
		// A repository must not be able to supply the agent: as in os/exec, a
		// program in a relative entry of PATH is named and not run.
		if file, err := program(filepath.Join(dir, folder, name)); err == nil {
			return "", fmt.Errorf("%s: %w", file, exec.ErrDot)
		}
	}
	return "", exec.ErrNotFound
}

// missingError is of a program, named with its folder, that is not there.
type missingError string

func (e missingError) Error() string { return string(e) + " does not exist" }

func (e missingError) Unwrap() []error { return []error{exec.ErrNotFound, fs.ErrNotExist} }

// program checks that an absolute path can be started; on Windows it also adds
// the extension that PATHEXT supplies.
func program(path string) (string, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "", syscall.EISDIR
	}
	file, err := exec.LookPath(path)
	if err == nil {
		return file, nil
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%w: %w", exec.ErrNotFound, fs.ErrNotExist)
	}
	return "", err
}

// Variable returns the last value of name in env, as a child process sees it.
func Variable(env []string, name string) string {
	value := ""
	for _, entry := range env {
		key, v, ok := strings.Cut(entry, "=")
		if ok && SameVariable(key, name) {
			value = v
		}
	}
	return value
}

// withTag returns env with the tag as the only value of TagVar.
func withTag(env []string, tag string) []string {
	out := make([]string, 0, len(env)+1)
	for _, entry := range env {
		if key, _, ok := strings.Cut(entry, "="); ok && SameVariable(key, TagVar) {
			continue
		}
		out = append(out, entry)
	}
	if tag != "" {
		out = append(out, TagVar+"="+tag)
	}
	return out
}

// SameVariable compares names of variables as the system does.
func SameVariable(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

const labelMax = 80

// label makes a short line, for a terminal, of an argv whose arguments end in
// NUL.
func label(cmdline []byte, fallback string) string {
	args := strings.Split(strings.TrimRight(string(cmdline), "\x00"), "\x00")
	args[0] = filepath.Base(args[0])
	if len(cmdline) == 0 || len(args) == 1 && args[0] == "." {
		args = []string{fallback}
	}
	return invisible.Line(strings.Join(args, " "), labelMax)
}
