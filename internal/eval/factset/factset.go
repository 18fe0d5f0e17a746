// Package factset reads the sets of facts and tasks in testdata/facts, on which the matcher
// of facts is fitted and measured.
package factset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Set holds the statements of people about one repository, and tasks in it.
type Set struct {
	Repository
	Facts []Fact
	Tasks []Task
	Files []string // paths in the repository, '/' separated, sorted
}

// Repository describes the repository of a set.
type Repository struct {
	Name     string `json:"name"`     // also the name of its folder
	Source   string `json:"source"`   // its address
	Commit   string `json:"commit"`   // full id of the commit that has the paths in Files
	Language string `json:"language"` // of most of its code
	Kind     string `json:"kind"`     // "library", "web application"
	About    string `json:"about"`    // one line
	Note     string `json:"note"`     // special properties of Files or Commit; may be empty
}

// Fact is a statement about the repository.
type Fact struct {
	ID      string   `json:"id"`      // unique in the set
	Text    string   `json:"text"`    // as the person typed it
	Kind    string   `json:"kind"`    // one of FactKinds
	Written string   `json:"written"` // the place: "remember", "claude-md" or "teammate"
	Lang    string   `json:"lang"`    // ISO 639-1
	Under   []string `json:"under"`   // headings above it, outermost first
	Paths   []string `json:"paths"`   // globs of the files that it is about; empty: all
	Key     string   `json:"key"`     // the subject, if several facts share it; the last one is the newest
}

// FactKinds lists kinds of facts.
var FactKinds = []string{"command", "convention", "prohibition", "decision", "architecture", "pitfall", "environment", "process", "domain", "preference"}

// TaskKind says how a task is related to the facts that it needs.
type TaskKind string

// The kinds of tasks.
const (
	Direct     TaskKind = "direct"     // it shares distinctive words with them
	Paraphrase TaskKind = "paraphrase" // it is about the same thing in other words
	Implied    TaskKind = "implied"    // it does not mention their topic
	Foreign    TaskKind = "foreign"    // it needs no fact of the set
)

// Task is a prompt to a coding agent.
type Task struct {
	ID     string   `json:"id"` // unique in the set
	Kind   TaskKind `json:"kind"`
	Text   string   `json:"task"`
	Needs  []string `json:"needs"`  // ids of facts; empty exactly for a foreign task
	Files  []string `json:"files"`  // files that its solution changes, if its author said so
	Source string   `json:"source"` // address of the issue, pull request or commit that it comes from; "own": none
	Lang   string   `json:"lang"`   // ISO 639-1
}

// LoadAll reads the sets in the subfolders of a folder, by name.
func LoadAll(dir string) ([]*Set, error) {
	folders, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var sets []*Set
	for _, f := range folders {
		set, err := Load(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// Load reads the set in a folder. It returns an error for an invalid set, such as one with
// an unknown field, a duplicate id, or a need without its fact.
func Load(dir string) (*Set, error) {
	s := &Set{}
	about, err := os.ReadFile(filepath.Join(dir, "repository.json"))
	if err != nil {
		return nil, err
	}
	if err := strict(about, &s.Repository); err != nil {
		return nil, fmt.Errorf("%s: repository.json: %w", dir, err)
	}
	if s.Facts, err = lines[Fact](filepath.Join(dir, "facts.jsonl")); err != nil {
		return nil, err
	}
	if s.Tasks, err = lines[Task](filepath.Join(dir, "tasks.jsonl")); err != nil {
		return nil, err
	}
	files, err := os.ReadFile(filepath.Join(dir, "files.txt"))
	if err != nil {
		return nil, err
	}
	s.Files = strings.Fields(string(files))
	slices.Sort(s.Files)
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return s, nil
}

// lines reads a file with one JSON object a line.
func lines[T any](name string) (list []T, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var one T
		if err := strict(scanner.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, len(list)+1, err)
		}
		list = append(list, one)
	}
	return list, scanner.Err()
}

func strict(data []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

func (s *Set) check() error {
	facts, tasks := map[string]bool{}, map[string]bool{}
	for _, f := range s.Facts {
		if facts[f.ID] || f.ID == "" || strings.TrimSpace(f.Text) == "" || !slices.Contains(FactKinds, f.Kind) {
			return fmt.Errorf("fact %q: its id, text or kind is wrong", f.ID)
		}
		facts[f.ID] = true
	}
	for _, t := range s.Tasks {
		known := slices.Contains([]TaskKind{Direct, Paraphrase, Implied, Foreign}, t.Kind)
		if tasks[t.ID] || t.ID == "" || strings.TrimSpace(t.Text) == "" || !known || (len(t.Needs) == 0) != (t.Kind == Foreign) {
			return fmt.Errorf("task %q: its id, text, kind or needs are wrong", t.ID)
		}
		tasks[t.ID] = true
		for _, id := range t.Needs {
			if !facts[id] {
				return fmt.Errorf("task %s needs the fact %q, which the set lacks", t.ID, id)
			}
		}
	}
	return nil
}
