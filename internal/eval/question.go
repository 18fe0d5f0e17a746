package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// Question is a question with known answers.
type Question struct {
	Text string
	// Answers are the right hits: the id of an entry, or a place in a file of the memory
	// folder, "notes/release.md:12", which may begin with "memory/", as in hits. None means
	// that memory has no answer.
	Answers []string
	Now     time.Time // the time of the question; zero means the time of the newest entry
	Filter  retrieval.Filter

	line int // in its file
}

// ReadQuestions reads a file of JSON Lines, a question a line:
//
//	{"question": "…", "answers": ["0199…", "notes/release.md:12"], "now": "2026-11-21T15:04:05Z", "filter": {"kind": "run", "since": "…"}}
//
// answers may be empty, but not missing. now and filter may be missing. filter has the fields
// of retrieval.Filter, type instead of types if there is one, and min_importance. A line with only
// now sets the time of the lines after it. ReadQuestions skips empty lines and ignores other
// fields. An error names the line that cannot be decoded.
func ReadQuestions(file string) ([]Question, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("reading questions: %w", err)
	}
	defer f.Close()
	var out []Question
	var now time.Time
	err = eachLine(f, func(n int, line []byte) error {
		q, err := parseQuestion(line)
		if err != nil {
			return err
		}
		if q.Text == "" {
			now = q.Now
			return nil
		}
		if q.Now.IsZero() {
			q.Now = now
		}
		q.line = n
		out = append(out, q)
		return nil
	})
	if err == nil && len(out) == 0 {
		err = errors.New(" it holds none")
	}
	if err != nil {
		return nil, fmt.Errorf("reading questions: %s:%w", file, err)
	}
	return out, nil
}

// parseQuestion decodes one line. The result for a line with only the time has no text.
func parseQuestion(line []byte) (Question, error) {
	var l struct {
		Question *string   `json:"question"`
		Answers  *[]string `json:"answers"`
		Now      time.Time `json:"now"`
		Filter   struct {
			retrieval.Filter
			Type          memory.FactType `json:"type"`
			MinImportance float64         `json:"min_importance"`
		} `json:"filter"`
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return Question{}, fmt.Errorf("no question: %w", err)
	}
	if l.Question == nil && l.Answers == nil && !l.Now.IsZero() {
		return Question{Now: l.Now}, nil
	}
	if l.Question == nil || strings.TrimSpace(*l.Question) == "" || l.Answers == nil {
		return Question{}, errors.New("a question needs question and answers")
	}
	for i, a := range *l.Answers {
		if a == "" {
			return Question{}, fmt.Errorf("answer %d is empty", i+1)
		}
	}
	filter := l.Filter.Filter
	filter.MinImportance = l.Filter.MinImportance
	if l.Filter.Type != "" {
		filter.Types = append(filter.Types, l.Filter.Type)
	}
	return Question{Text: *l.Question, Answers: *l.Answers, Now: l.Now, Filter: filter}, nil
}

// place parses an answer that is a line of a file.
func place(answer string) (file string, line int, ok bool) {
	at := strings.LastIndexByte(answer, ':')
	if at < 0 {
		return "", 0, false
	}
	line, err := strconv.Atoi(answer[at+1:])
	return answer[:at], line, err == nil && line > 0 && strings.HasSuffix(answer[:at], ".md")
}

// rightAnswer returns the number of the answer that a hit gives.
func (q *Question) rightAnswer(h retrieval.Hit) (n int, ok bool) {
	file := strings.TrimPrefix(h.Path, memoryPrefix)
	for i, a := range q.Answers {
		if at, line, ok := place(a); ok {
			if (at == file || at == h.Path) && h.StartLine <= line && line <= h.EndLine {
				return i, true
			}
		} else if a == h.EntryID || a == h.Source {
			return i, true
		}
	}
	return 0, false
}

const memoryPrefix = "memory/"

type surveyed struct {
	newest  time.Time       // of its entries
	entries map[string]bool // ids
	lines   map[string]int  // number of lines of each file, by its path below the folder
}

func survey(dir string) (surveyed, error) {
	s := surveyed{entries: map[string]bool{}, lines: map[string]int{}}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.EqualFold(filepath.Ext(path), ".md") {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		src, err := os.ReadFile(path)
		if err == nil {
			s.take(filepath.ToSlash(rel), src)
		}
		return err
	})
	return s, err
}

func (s *surveyed) take(name string, src []byte) {
	for _, b := range markdown.Parse(src).Blocks {
		s.lines[name] = b.EndLine
		if b.Entry == nil {
			continue
		}
		s.entries[b.Entry.ID] = true
		if b.Entry.Time.After(s.newest) {
			s.newest = b.Entry.Time
		}
	}
}

// check returns an error if an answer is not in the memory.
func (s *surveyed) check(questions []Question) error {
	for _, q := range questions {
		for _, a := range q.Answers {
			file, line, ok := place(a)
			if ok && line > max(s.lines[file], s.lines[strings.TrimPrefix(file, memoryPrefix)]) || !ok && !s.entries[a] {
				return fmt.Errorf("question on line %d: memory holds no %s", q.line, a)
			}
		}
	}
	return nil
}
