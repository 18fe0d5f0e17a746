package trace

import (
	"archive/zip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/memory"
	"agentflow/writeback/internal/journal"
)

const secret = `The "vault" in Zürich <b> opens with walnut`

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func quoted(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func nothing(string) bool { return false }

// TestClean: every form of a text is found and overwritten, and files keep their length.
func TestClean(t *testing.T) {
	long := strings.Repeat("very long ", 12) + "walnut end"
	spoken := `Ask the "vault" for "walnut" \ <b> in Zürich, and ` + long
	q := Of("id-1", secret, long, spoken)
	dir := t.TempDir()
	files := map[string]string{
		"plain.md":           "x\n> " + secret + "\ny",
		"go.json":            quoted(t, secret),
		"javascript.json":    `"The \"vault\" in Zürich <b> opens with walnut"`,
		"python.json":        `"The \"vault\" in Z\u00fcrich <b> opens with walnut"`,
		"nested.jsonl":       quoted(t, map[string]string{"content": quoted(t, secret)}),
		"title.txt":          memory.Title(long),
		"heading.txt":        memory.Title(long),
		"longer.txt":         long[:100] + "…",
		"spoken.json":        quoted(t, memory.Title(spoken)),
		"title.json":         quoted(t, memory.Title(spoken)),
		"nested.json":        quoted(t, quoted(t, memory.Head(spoken, 120))),
		"ascii.json":         `"` + ascii(`Ask the \"vault\" for \"walnut\" \\ <b> in Zürich, and `+long[:60]+"…") + `"`,
		"truncated.log":      long[:90],
		"cut.txt":            long[:90] + "...\n",
		"big/far.log":        strings.Repeat("a", window-10) + secret,
		"deep/er/folder.txt": secret,
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	write(t, filepath.Join(dir, "id-1", "any", "thing.bin"), "compressed")
	write(t, filepath.Join(dir, "other.txt"), "nothing of it")
	write(t, filepath.Join(dir, "skipped", "x"), secret)
	skip := func(path string) bool { return filepath.Base(path) == "skipped" }
	found, err := q.Find(dir, skip)
	if err != nil || len(found) != len(files)+1 {
		t.Fatalf("found %q, %v", found, err)
	}
	cleaned, err := q.Clean(journal.Disk{}, dir, skip)
	if err != nil || !slices.Equal(cleaned, found) {
		t.Fatalf("cleaned %q, %v, and found %q", cleaned, err, found)
	}
	for name, text := range files {
		now, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || len(now) != len(text) || strings.Contains(string(now), "walnut") || strings.Contains(string(now), "very long") {
			t.Errorf("%s holds %.200q, %v", name, now, err)
		}
		if strings.HasSuffix(name, ".json") && !json.Valid(now) {
			t.Errorf("%s is no JSON any more: %s", name, now)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "id-1")); err == nil {
		t.Error("the folder with the id stays")
	}
	if again, err := q.Find(dir, skip); err != nil || len(again) > 0 {
		t.Errorf("found again: %q, %v", again, err)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "skipped", "x")); string(text) != secret {
		t.Errorf("what was to be left alone holds %q", text)
	}
}

// TestOnlyTheBeginning: a line that only begins like a purged one, for as long as a title is, stays.
func TestOnlyTheBeginning(t *testing.T) {
	const same = `Let the "tokenizer" split identifiers at capital letters, and the lexer all `
	q := Of("", same+"numbers at underscores")
	dir := t.TempDir()
	other, both := same+"names at dots", same+"names at dots\n"+same+"numbers at underscores\n"
	files := map[string]string{
		"plain.md": other, "go.json": quoted(t, other), "nested.json": quoted(t, quoted(t, other)),
		"far.log": strings.Repeat("a", window-90) + other, "both.md": both,
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	cleaned, err := q.Clean(journal.Disk{}, dir, nothing)
	if err != nil || !slices.Equal(cleaned, []string{filepath.Join(dir, "both.md")}) || q.In([]byte(other)) {
		t.Errorf("cleaned %q, %v", cleaned, err)
	}
	files["both.md"] = strings.ReplaceAll(both, same+"numbers at underscores", strings.Repeat("*", len(same)+len("numbers at underscores")))
	for name, text := range files {
		if now, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(now) != text {
			t.Errorf("%s holds %.200q, %v", name, now, err)
		}
	}
}

// FuzzClean: no place in a file, at the border of windows or not, hides a line, and JSON stays JSON.
func FuzzClean(f *testing.F) {
	f.Add(secret, 0)
	f.Add(strings.Repeat("very \"long\" ", 12), window-40)
	f.Fuzz(func(t *testing.T, line string, at int) {
		line = strings.Join(strings.Fields(strings.ToValidUTF8(line, "")), " ")
		q := Of("", line)
		if at < 0 || at > 2*window || len(q.Lines()) == 0 || strings.Trim(line, "a*") != line {
			t.Skip()
		}
		path := filepath.Join(t.TempDir(), "x.json")
		write(t, path, quoted(t, strings.Repeat("a", at)+line))
		cleaned, err := q.Clean(journal.Disk{}, filepath.Dir(path), nothing)
		now, _ := os.ReadFile(path)
		if err != nil || len(cleaned) != 1 || q.In(now) || !json.Valid(now) {
			t.Errorf("%v, %v: %.200q", cleaned, err, now[at:])
		}
	})
}

// TestCleanZip: members with the text leave an archive, and the others stay.
func TestCleanZip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "edits.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	for name, text := range map[string]string{"a": strings.Repeat(secret, 9), "b": "kept"} {
		member, err := w.Create(name)
		if err == nil {
			_, err = member.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if cleaned, err := Of("", secret).Clean(journal.Disk{}, filepath.Dir(path), nothing); err != nil || len(cleaned) != 1 {
		t.Fatalf("cleaned %q, %v", cleaned, err)
	}
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if len(r.File) != 1 || r.File[0].Name != "b" {
		t.Errorf("the archive has %d members", len(r.File))
	}
}

// TestShort: a line that is too short is named, not looked for.
func TestShort(t *testing.T) {
	q := Of("", "PIN 471", "The PIN is 4711")
	if !slices.Equal(q.Short(), []string{"PIN 471"}) || q.In([]byte("PIN 471")) || !q.In([]byte("say The PIN is 4711.")) {
		t.Errorf("%+v", q)
	}
}
