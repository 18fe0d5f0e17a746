package app

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/pgtest"
)

// TestMain isolates git, which operations run in this process, from the user's settings.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "agentflow-app-")
	if err != nil {
		panic(err)
	}
	for _, pair := range labtest.Environ(home) {
		name, value, _ := strings.Cut(pair, "=")
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	if err := os.WriteFile(os.Getenv("GIT_CONFIG_GLOBAL"), []byte(labtest.GitConfig), 0o600); err != nil {
		panic(err)
	}
	code := pgtest.Run(labtest.Main{M: m})
	os.RemoveAll(home)
	os.Exit(code)
}

// place is a folder with a separate home. Tests use its memory only through the exported API.
type place struct{ *labtest.Lab }

// newRepository returns a place that is a git repository with one commit.
func newRepository(t testing.TB) *place { return &place{labtest.Repository(t)} }

// newFolder returns a place that is an empty folder.
func newFolder(t testing.TB) *place { return &place{labtest.Folder(t)} }

// memory opens the memory of the folder.
func (p *place) memory() *Memory {
	p.T.Helper()
	m, err := Open(p.T.Context(), p.Repo, Env{Vars: p.Env})
	if err != nil {
		p.T.Fatal(err)
	}
	p.T.Cleanup(func() { m.Close() })
	return m
}

// must returns the result of an operation that has to succeed.
func must[Result any](result Result, err error) func(testing.TB) Result {
	return func(t testing.TB) Result {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
}

// forget forgets the items of a request.
func (p *place) forget(m *Memory, req ForgetRequest) {
	p.T.Helper()
	plan := must(PlanForget(p.T.Context(), m, req))(p.T)
	must(ApplyForget(p.T.Context(), m, plan))(p.T)
}

// wantKind reports an error unless err has the kind.
func wantKind(t testing.TB, err error, want Kind) {
	t.Helper()
	known, ok := err.(*Error)
	if !ok || known.Kind != want {
		t.Errorf("want an error of kind %s, have %T %v", want, err, err)
	}
}

// heard returns a context that collects the events of operations.
func heard(ctx context.Context) (context.Context, *[]Event) {
	var events []Event
	return Listen(ctx, func(e Event) { events = append(events, e) }), &events
}

// holds reports whether a file below the folder, including git's files, or in the home contains the
// text.
func (p *place) holds(text string) bool { return len(p.holding(text, filepath.Dir(p.Repo))) > 0 }

// holding returns the files below the folders that contain the text in any case.
func (p *place) holding(text string, folders ...string) (files []string) {
	p.T.Helper()
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			if bytes.Contains(bytes.ToLower(data), bytes.ToLower([]byte(text))) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			p.T.Fatal(err)
		}
	}
	return files
}
