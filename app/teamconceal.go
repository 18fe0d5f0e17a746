package app

import (
	"path/filepath"
	"strings"

	"agentflow/api"
)

// conceal takes out of what a caller of a team's server reads where things are on the
// server's machine, and the address of the remote, which may hold a password.
func (t *teamwork) conceal(lines []string, err *error) {
	for i := range lines {
		lines[i] = t.places.Replace(lines[i])
	}
	if *err == nil {
		return
	}
	known := AsError(*err)
	if clean := t.places.Replace(known.Error()); clean != known.Error() {
		known.Err = concealedError{known.Err, clean}
	}
	known.Hint = t.places.Replace(known.Hint)
	*err = known
}

// newPlaces replaces what conceal takes out.
func newPlaces(repository, address, dir, folder string) *strings.Replacer {
	return strings.NewReplacer(dir, repository, folder, "the server's folder", address, "its remote")
}

// concealedError has another text.
type concealedError struct {
	error
	text string
}

func (e concealedError) Error() string { return e.text }
func (e concealedError) Unwrap() error { return e.error }

// shownPath is the path of a file of memory as whoever asks may see it.
func (s *openMemory) shownPath(path string) string {
	if rest, err := filepath.Rel(s.Root, path); s.caller != nil && err == nil {
		return filepath.ToSlash(rest)
	}
	return path
}

// concealMachine takes the places of the server's machine out of a status.
func (t *teamwork) concealMachine(s *api.Status) {
	s.Memory, s.State, s.Worktree, s.Log, s.Index.Path, s.Lock = "", "", "", "", "", ""
	s.Watch, s.Contents = nil, nil
	s.Failures, s.Trees = []api.Failure{}, []api.Worktree{}
	var none error
	t.conceal(s.Degraded, &none)
}
