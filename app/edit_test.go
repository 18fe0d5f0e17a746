package app

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

func TestEdit(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	id := remembered(t, m, "The widget is round.")
	text, tags := "The widget is square; password=hunter2hunter2.", []string{"shop"}
	done, err := Edit(t.Context(), m, EditRequest{ID: id, FactChange: FactChange{Text: &text, Tags: &tags}})
	if err != nil || !done.Changed || len(done.Places) != 1 || len(done.Fact.Tags) != 1 || strings.Contains(done.Fact.Text, "hunter2") {
		t.Fatalf("%+v, %v", done, err)
	}
	if content := memoryText(t, p.Repo); !strings.Contains(content, "square") || strings.Contains(content, "round") {
		t.Errorf("memory holds\n%s", content)
	}
	done, err = Edit(t.Context(), m, EditRequest{ID: id, FactChange: FactChange{Tags: &tags}})
	if err != nil || done.Changed || done.Fact.ID != id {
		t.Errorf("the same tags: %+v, %v", done, err)
	}
}

func TestEditErrors(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	id := remembered(t, m, "The widget is round.")
	text, empty, share, global := "The widget is square.", "", -1.0, "global"
	edit := func(id string, change FactChange) error {
		_, err := Edit(t.Context(), m, EditRequest{ID: id, FactChange: change})
		return err
	}
	wantKind(t, edit("ffffff", FactChange{Text: &text}), KindNotFound)
	wantKind(t, edit(id, FactChange{Text: &empty}), KindUsage)
	wantKind(t, edit(id, FactChange{Importance: &share}), KindUsage)
	wantKind(t, edit(id, FactChange{Namespace: &global}), KindUsage)
	_, err := Edit(t.Context(), newFolder(t).memory(), EditRequest{ID: id, FactChange: FactChange{Text: &text}})
	wantKind(t, err, KindNoPlace)

	// While the user edits the fact's text, another process changes the fact.
	typed := ""
	_, err = Edit(t.Context(), m, EditRequest{ID: id, Editor: func(ctx context.Context, file string) error {
		typed = file
		return errors.Join(edit(id, FactChange{Text: &text}), replaceIn(file, "round", "oval"))
	}})
	wantKind(t, err, KindRefused)
	if data, _ := os.ReadFile(typed); !strings.Contains(string(data), "oval") || !strings.Contains(AsError(err).Hint, typed) {
		t.Errorf("what was typed: %q; the hint: %s", data, AsError(err).Hint)
	}
	if content := memoryText(t, p.Repo); !strings.Contains(content, "square") || strings.Contains(content, "oval") {
		t.Errorf("memory holds\n%s", content)
	}
	// A successful edit leaves no file.
	done, err := Edit(t.Context(), m, EditRequest{ID: id, Editor: func(ctx context.Context, file string) error {
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
