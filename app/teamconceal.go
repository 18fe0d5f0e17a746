package app

import (
	"regexp"
	"strings"
	"sync"

	"agentflow/app/api"
)

// Conceal sets what the answers conceal: the address of the remote, the folder of its clone, and the server's folder.
func (t *Teamwork) Conceal(address, clone, folder string) {
	t.places = strings.NewReplacer(clone, t.Repository, folder, "the server's folder", address, "its remote")
}

// conceal removes two things from the answers of a team's server: paths on the server's
// machine, and the address of the remote, which may contain a password.
func (t *Teamwork) conceal(lines []string, err *error) {
	for i := range lines {
		lines[i] = t.concealed(lines[i])
	}
	if *err == nil {
		return
	}
	known := AsError(*err)
	if clean := t.concealed(known.Error()); clean != known.Error() {
		known.Err = concealedError{known.Err, clean}
	}
	known.Hint = t.concealed(known.Hint)
	*err = known
}

// databaseErrors matches errors of PostgreSQL's client that contain names, sockets or
// addresses of the database.
var databaseErrors = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("failed to connect to `(?s:.*)|(?:dial|read|write) (?:unix|tcp[46]?) \\S+(?:->| )?\\S*: ")
})

// concealed returns a line without places of the server's machine and of its database.
func (t *Teamwork) concealed(line string) string {
	line = databaseErrors().ReplaceAllStringFunc(line, func(found string) string {
		if strings.HasPrefix(found, "failed") {
			return "it cannot be reached"
		}
		return ""
	})
	return t.places.Replace(line)
}

// concealedError is an error with a different text.
type concealedError struct {
	error
	text string
}

func (e concealedError) Error() string { return e.text }

func (e concealedError) Unwrap() error { return e.error }

// ConcealMachine removes the places of the server's machine from a status.
func (t *Teamwork) ConcealMachine(s *api.Status) {
	s.Memory, s.State, s.Worktree, s.Log, s.Index.Path, s.Lock = "", "", "", "", "", ""
	s.Watch, s.Contents = nil, nil
	s.Failures, s.Trees = []api.Failure{}, []api.Worktree{}
	var none error
	t.conceal(s.Degraded, &none)
}
