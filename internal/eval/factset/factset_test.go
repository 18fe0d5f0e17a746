package factset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const folder = "../../../testdata/facts"

// TestSets: the sets are whole, and have the sizes that the figures are given for.
func TestSets(t *testing.T) {
	sizes := map[int]int{}
	for _, part := range []string{"fit", "heldback"} {
		sets, err := LoadAll(filepath.Join(folder, part))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sets {
			if part == "fit" {
				sizes[len(s.Facts)]++
			}
			of := map[TaskKind]int{}
			for _, task := range s.Tasks {
				of[task.Kind]++
			}
			if of[Direct]+of[Paraphrase]+of[Implied] != 60 || of[Foreign] != 30 || min(of[Direct], of[Paraphrase], of[Implied]) < 15 {
				t.Errorf("%s: tasks of each kind: %v", s.Name, of)
			}
			if len(s.Files) == 0 || len(s.Commit) != 40 {
				t.Errorf("%s: %d files of commit %q", s.Name, len(s.Files), s.Commit)
			}
		}
	}
	if sizes[40] != 4 || sizes[120] != 2 || sizes[400] != 2 {
		t.Errorf("sets of each size: %v", sizes)
	}
}

// TestLoadRefuses: a set with a mistake is not read.
func TestLoadRefuses(t *testing.T) {
	const fact, task = `{"id":"f1","text":"Use make.","kind":"command"}`, `{"id":"t1","kind":"direct","task":"Make it","needs":["f1"]}`
	for name, c := range map[string]struct{ facts, tasks, want string }{
		"whole":           {fact, task, ""},
		"an id twice":     {fact + "\n" + fact, task, `fact "f1"`},
		"a need too many": {fact, strings.Replace(task, "f1", "f2", 1), "which the set lacks"},
		"no need":         {fact, strings.Replace(task, `"f1"`, "", 1), `task "t1"`},
		"a foreign need":  {fact, strings.Replace(task, "direct", "foreign", 1), `task "t1"`},
		"an odd kind":     {strings.Replace(fact, "command", "order", 1), task, `fact "f1"`},
		"an odd field":    {strings.Replace(fact, "text", "txt", 1), task, "line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{"repository.json": "{}", "facts.jsonl": c.facts, "tasks.jsonl": c.tasks, "files.txt": ""} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Load(dir)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}
