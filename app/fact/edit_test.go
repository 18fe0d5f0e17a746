package fact_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/fact"
	"agentflow/internal/testing/apptest"
)

func TestEdit(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	id := apptest.Remembered(t, m, "The widget is round.")
	text, tags := "The widget is square; password=hunter2hunter2.", []string{"shop"}
	done, err := fact.Edit(t.Context(), m, fact.EditRequest{ID: id, Change: fact.Change{Text: &text, Tags: &tags}})
	if err != nil || !done.Changed || len(done.Places) != 1 || len(done.Fact.Tags) != 1 || strings.Contains(done.Fact.Text, "hunter2") {
		t.Fatalf("%+v, %v", done, err)
	}
	if content := apptest.MemoryText(t, p.Repo); !strings.Contains(content, "square") || strings.Contains(content, "round") {
		t.Errorf("memory holds\n%s", content)
	}
	done, err = fact.Edit(t.Context(), m, fact.EditRequest{ID: id, Change: fact.Change{Tags: &tags}})
	if err != nil || done.Changed || done.Fact.ID != id {
		t.Errorf("the same tags: %+v, %v", done, err)
	}
}

func TestEditErrors(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	id := apptest.Remembered(t, m, "The widget is round.")
	text, empty, share, global := "The widget is square.", "", -1.0, "global"
	edit := func(id string, change fact.Change) error {
		_, err := fact.Edit(t.Context(), m, fact.EditRequest{ID: id, Change: change})
		return err
	}
	apptest.WantKind(t, edit("ffffff", fact.Change{Text: &text}), app.KindNotFound)
	apptest.WantKind(t, edit(id, fact.Change{Text: &empty}), app.KindUsage)
	apptest.WantKind(t, edit(id, fact.Change{Importance: &share}), app.KindUsage)
	apptest.WantKind(t, edit(id, fact.Change{Namespace: &global}), app.KindUsage)
	_, err := fact.Edit(t.Context(), apptest.NewFolder(t).Memory(), fact.EditRequest{ID: id, Change: fact.Change{Text: &text}})
	apptest.WantKind(t, err, app.KindNoPlace)

	// While the user edits the fact's text, another process changes the fact.
	typed := ""
	_, err = fact.Edit(t.Context(), m, fact.EditRequest{ID: id, Editor: func(ctx context.Context, file string) error {
		typed = file
		return errors.Join(edit(id, fact.Change{Text: &text}), replaceIn(file, "round", "oval"))
	}})
	apptest.WantKind(t, err, app.KindRefused)
	if data, _ := os.ReadFile(typed); !strings.Contains(string(data), "oval") || !strings.Contains(app.AsError(err).Hint, typed) {
		t.Errorf("what was typed: %q; the hint: %s", data, app.AsError(err).Hint)
	}
	if content := apptest.MemoryText(t, p.Repo); !strings.Contains(content, "square") || strings.Contains(content, "oval") {
		t.Errorf("memory holds\n%s", content)
	}
	// A successful edit leaves no file.
	done, err := fact.Edit(t.Context(), m, fact.EditRequest{ID: id, Editor: func(ctx context.Context, file string) error {
		typed = file
		return replaceIn(file, "square", "oval")
	}})
	if err != nil || !done.Changed {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := os.Stat(typed); err == nil {
		t.Errorf("%s is still there", typed)
	}
}

func replaceIn(file, from, to string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(strings.ReplaceAll(string(data), from, to)), 0o600)
}
