package app

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExportAndImport(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	id := remembered(t, m, "The walrus sleeps.")
	var lines bytes.Buffer
	done, err := Export(t.Context(), m, ExportRequest{To: &lines})
	if err != nil || done.Count != 1 || !strings.Contains(lines.String(), id) {
		t.Fatalf("%+v, %v: %s", done, err, &lines)
	}
	file := filepath.Join(t.TempDir(), "memory.md")
	if _, err := Export(t.Context(), m, ExportRequest{File: file, Format: "markdown"}); err != nil {
		t.Fatal(err)
	}
	_, err = Export(t.Context(), m, ExportRequest{File: file, Format: "markdown"})
	wantKind(t, err, KindRefused)
	if _, err := Export(t.Context(), m, ExportRequest{File: file, Replace: true}); err != nil {
		t.Error(err)
	}

	other := newRepository(t)
	dry, err := Import(t.Context(), other.memory(), ImportRequest{Lines: bytes.NewReader(lines.Bytes()), DryRun: true})
	if err != nil || len(dry.Added) != 1 || isDir(other.Path(".agentflow")) || isDir(other.Path(".git/agentflow")) {
		t.Errorf("a dry run without a memory: %+v, %v", dry, err)
	}
	other.Write("notes/topics.md", "- Badgers dig; password=hunter2hunter2 opens.\n")
	in, err := Import(t.Context(), other.memory(), ImportRequest{Lines: &lines, Paths: []string{filepath.Join(other.Repo, "notes")}})
	if err != nil || len(in.Added) != 2 || len(in.Problems) > 0 {
		t.Fatalf("%+v, %v", in, err)
	}
	if content := memoryText(t, other.Repo); !strings.Contains(content, "walrus") || !strings.Contains(content, "Badgers") || strings.Contains(content, "hunter2") {
		t.Errorf("memory holds\n%s", content)
	}
	in, err = Import(t.Context(), other.memory(), ImportRequest{Paths: []string{filepath.Join(other.Repo, "notes")}})
	if err != nil || len(in.Added) != 0 || in.Standing+in.Same != 1 {
		t.Errorf("importing twice: %+v, %v", in, err)
	}
}

func TestExportAndImportErrors(t *testing.T) {
	p := newRepository(t)
	m, nowhere := p.memory(), newFolder(t).memory()
	remembered(t, m, "The walrus sleeps.")
	for _, c := range []struct {
		m    *Memory
		req  ExportRequest
		want Kind
	}{
		{m, ExportRequest{Format: "xml"}, KindUsage},
		{m, ExportRequest{Type: "dream"}, KindUsage},
		{m, ExportRequest{Namespace: "nowhere"}, KindUsage},
		{nowhere, ExportRequest{}, KindNoPlace},
	} {
		c.req.To = &bytes.Buffer{}
		_, err := Export(t.Context(), c.m, c.req)
		wantKind(t, err, c.want)
	}
	bad := filepath.Join(p.Repo, "bad.jsonl")
	if err := os.WriteFile(bad, []byte("{\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := Import(t.Context(), m, ImportRequest{Paths: []string{bad}})
	wantKind(t, err, KindRefused)
	if !errors.Is(err, ErrNothingRead) || len(in.Problems) != 1 || in.Problems[0].Line != 1 {
		t.Errorf("%+v, %v", in, err)
	}
	_, err = Import(t.Context(), m, ImportRequest{Paths: []string{filepath.Join(p.Repo, "nothing")}})
	wantKind(t, err, KindInternal)
	_, err = Import(t.Context(), m, ImportRequest{Paths: []string{t.TempDir()}})
	wantKind(t, err, KindUsage)
	_, err = Import(t.Context(), nowhere, ImportRequest{Lines: strings.NewReader("")})
	wantKind(t, err, KindNoPlace)
}
