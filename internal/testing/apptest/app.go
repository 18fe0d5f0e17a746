package apptest

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"agentflow/app"
	"agentflow/app/forget"
	"agentflow/app/open"
	"agentflow/internal/testing/labtest"
)

// Place is a folder with a separate home. Tests use its memory only through the exported API.
type Place struct{ *labtest.Lab }

// NewRepository returns a place that is a git repository with one commit.
func NewRepository(t testing.TB) *Place { return &Place{labtest.Repository(t)} }

// NewFolder returns a place that is an empty folder.
func NewFolder(t testing.TB) *Place { return &Place{labtest.Folder(t)} }

// Memory opens the memory of the folder.
func (p *Place) Memory() *app.Memory {
	p.T.Helper()
	m, err := open.Open(p.T.Context(), p.Repo, app.Env{Vars: p.Env})
	if err != nil {
		p.T.Fatal(err)
	}
	p.T.Cleanup(func() { m.Close() })
	return m
}

// Must returns the result of an operation that has to succeed.
func Must[Result any](result Result, err error) func(testing.TB) Result {
	return func(t testing.TB) Result {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
}

// Forget forgets the items of a request.
func (p *Place) Forget(m *app.Memory, req forget.Request) {
	p.T.Helper()
	plan := Must(forget.PlanForget(p.T.Context(), m, req))(p.T)
	Must(forget.ApplyForget(p.T.Context(), m, plan))(p.T)
}

// WantKind reports an error unless err has the kind.
func WantKind(t testing.TB, err error, want app.Kind) {
	t.Helper()
	known, ok := err.(*app.Error)
	if !ok || known.Kind != want {
		t.Errorf("want an error of kind %s, have %T %v", want, err, err)
	}
}

// Heard returns a context that collects the events of operations.
func Heard(ctx context.Context) (context.Context, *[]app.Event) {
	var events []app.Event
	return app.Listen(ctx, func(e app.Event) { events = append(events, e) }), &events
}

// Holds reports whether a file below the folder, including git's files, or in the home contains the
// text.
func (p *Place) Holds(text string) bool { return len(p.Holding(text, filepath.Dir(p.Repo))) > 0 }

// Holding returns the files below the folders that contain the text in any case.
func (p *Place) Holding(text string, folders ...string) (files []string) {
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

// Nowhere returns the memory of a folder without one.
func Nowhere(t testing.TB) *app.Memory {
	t.Helper()
	m, err := open.Open(t.Context(), t.TempDir(), app.Env{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}
