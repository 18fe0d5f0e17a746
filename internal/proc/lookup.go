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

// lookup finds the program called name, relative to the absolute directory dir
// and the given PATH. Errors wrap exec.ErrNotFound, exec.ErrDot,
// fs.ErrPermission or syscall.EISDIR.
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
			err = missingError(name) // PATH does not apply
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
		// A repository must not be able to supply the agent. Like os/exec, this
		// reports a program in a relative entry of PATH and does not run it.
		if file, err := program(filepath.Join(dir, folder, name)); err == nil {
			return "", fmt.Errorf("%s: %w", file, exec.ErrDot)
		}
	}
	return "", exec.ErrNotFound
}

// missingError reports that a program given with its folder does not exist.
type missingError string

func (e missingError) Error() string { return string(e) + " does not exist" }

func (e missingError) Unwrap() []error { return []error{exec.ErrNotFound, fs.ErrNotExist} }

// program checks that an absolute path can be started. On Windows it also adds
// an extension from PATHEXT.
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

// SameVariable reports whether two names of variables are the same for the
// system.
func SameVariable(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

const labelMax = 80

// label returns a short printable line for an argv with arguments that end in
// NUL.
func label(cmdline []byte, fallback string) string {
	args := strings.Split(strings.TrimRight(string(cmdline), "\x00"), "\x00")
	args[0] = filepath.Base(args[0])
	if len(cmdline) == 0 || len(args) == 1 && args[0] == "." {
		args = []string{fallback}
	}
	return invisible.Line(strings.Join(args, " "), labelMax)
}
