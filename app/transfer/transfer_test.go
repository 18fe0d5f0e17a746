package transfer_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/transfer"
	"agentflow/internal/safefile"
	"agentflow/internal/testing/apptest"
)

func TestExportAndImport(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	id := apptest.Remembered(t, m, "The walrus sleeps.")
	var lines bytes.Buffer
	done, err := transfer.Export(t.Context(), m, transfer.ExportRequest{To: &lines})
	if err != nil || done.Count != 1 || !strings.Contains(lines.String(), id) {
		t.Fatalf("%+v, %v: %s", done, err, &lines)
	}
	file := filepath.Join(t.TempDir(), "memory.md")
	if _, err := transfer.Export(t.Context(), m, transfer.ExportRequest{File: file, Format: "markdown"}); err != nil {
		t.Fatal(err)
	}
	_, err = transfer.Export(t.Context(), m, transfer.ExportRequest{File: file, Format: "markdown"})
	apptest.WantKind(t, err, app.KindRefused)
	if _, err := transfer.Export(t.Context(), m, transfer.ExportRequest{File: file, Replace: true}); err != nil {
		t.Error(err)
	}

	other := apptest.NewRepository(t)
	dry, err := transfer.Import(t.Context(), other.Memory(), transfer.ImportRequest{Lines: bytes.NewReader(lines.Bytes()), DryRun: true})
	if err != nil || len(dry.Added) != 1 || safefile.IsDir(other.Path(".agentflow")) || safefile.IsDir(other.Path(".git/agentflow")) {
		t.Errorf("a dry run without a memory: %+v, %v", dry, err)
	}
	other.Write("notes/topics.md", "- Badgers dig; password=hunter2hunter2 opens.\n")
	in, err := transfer.Import(t.Context(), other.Memory(), transfer.ImportRequest{Lines: &lines, Paths: []string{filepath.Join(other.Repo, "notes")}})
	if err != nil || len(in.Added) != 2 || len(in.Problems) > 0 {
		t.Fatalf("%+v, %v", in, err)
	}
	if content := apptest.MemoryText(t, other.Repo); !strings.Contains(content, "walrus") || !strings.Contains(content, "Badgers") || strings.Contains(content, "hunter2") {
		t.Errorf("memory holds\n%s", content)
	}
	in, err = transfer.Import(t.Context(), other.Memory(), transfer.ImportRequest{Paths: []string{filepath.Join(other.Repo, "notes")}})
	if err != nil || len(in.Added) != 0 || in.Standing+in.Same != 1 {
		t.Errorf("importing twice: %+v, %v", in, err)
	}
}

func TestExportAndImportErrors(t *testing.T) {
	p := apptest.NewRepository(t)
	m, nowhere := p.Memory(), apptest.NewFolder(t).Memory()
	apptest.Remembered(t, m, "The walrus sleeps.")
	for _, c := range []struct {
		m    *app.Memory
		req  transfer.ExportRequest
		want app.Kind
	}{
		{m, transfer.ExportRequest{Format: "xml"}, app.KindUsage},
		{m, transfer.ExportRequest{Type: "dream"}, app.KindUsage},
		{m, transfer.ExportRequest{Namespace: "nowhere"}, app.KindUsage},
		{nowhere, transfer.ExportRequest{}, app.KindNoPlace},
	} {
		c.req.To = &bytes.Buffer{}
		_, err := transfer.Export(t.Context(), c.m, c.req)
		apptest.WantKind(t, err, c.want)
	}
	bad := filepath.Join(p.Repo, "bad.jsonl")
	if err := os.WriteFile(bad, []byte("{\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := transfer.Import(t.Context(), m, transfer.ImportRequest{Paths: []string{bad}})
	apptest.WantKind(t, err, app.KindRefused)
	if !errors.Is(err, transfer.ErrNothingRead) || len(in.Problems) != 1 || in.Problems[0].Line != 1 {
		t.Errorf("%+v, %v", in, err)
	}
	_, err = transfer.Import(t.Context(), m, transfer.ImportRequest{Paths: []string{filepath.Join(p.Repo, "nothing")}})
	apptest.WantKind(t, err, app.KindInternal)
	_, err = transfer.Import(t.Context(), m, transfer.ImportRequest{Paths: []string{t.TempDir()}})
	apptest.WantKind(t, err, app.KindUsage)
	_, err = transfer.Import(t.Context(), nowhere, transfer.ImportRequest{Lines: strings.NewReader("")})
	apptest.WantKind(t, err, app.KindNoPlace)
}
