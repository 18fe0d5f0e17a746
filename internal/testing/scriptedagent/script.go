package scriptedagent

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// script is a parsed script.
type script struct {
	tasks []task // the first one has no phrase and applies to every prompt
	files map[string][]byte
}

type task struct {
	phrase string // lower case
	steps  []step
}

type step struct {
	line int
	verb string
	args []string
}

func parse(data []byte) (script, error) {
	archive := txtar.Parse(data)
	s := script{tasks: []task{{}}, files: map[string][]byte{}}
	for _, f := range archive.Files {
		s.files[f.Name] = f.Data
	}
	for i, line := range strings.Split(string(archive.Comment), "\n") {
		words, err := split(line)
		if err != nil {
			return s, fmt.Errorf("line %d: %w", i+1, err)
		}
		switch {
		case len(words) == 0 || strings.HasPrefix(words[0], "#"):
		case words[0] == "task":
			s.tasks = append(s.tasks, task{phrase: strings.ToLower(strings.Join(words[1:], " "))})
		default:
			v, ok := verbs[words[0]]
			if n := len(words) - 1; !ok || n < v.least || (v.most >= 0 && n > v.most) {
				return s, fmt.Errorf("line %d: no such step: %s", i+1, line)
			}
			last := &s.tasks[len(s.tasks)-1]
			last.steps = append(last.steps, step{line: i + 1, verb: words[0], args: words[1:]})
		}
	}
	return s, nil
}

// split splits a line into words. A word that begins with a double quote is a
// Go string.
func split(line string) ([]string, error) {
	var words []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if line[0] != '"' {
			word, _, _ := strings.Cut(line, " ")
			words = append(words, word)
			line = line[len(word):]
			continue
		}
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return nil, fmt.Errorf("quoted word in %s: %w", line, err)
		}
		word, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, fmt.Errorf("quoted word %s: %w", quoted, err)
		}
		words = append(words, word)
		line = line[len(quoted):]
	}
	return words, nil
}

// stepsFor returns the steps for a prompt.
func (s script) stepsFor(prompt string) []step {
	prompt = strings.ToLower(prompt)
	at, found := -1, task{}
	for _, t := range s.tasks[1:] {
		if i := strings.LastIndex(prompt, t.phrase); i > at {
			at, found = i, t
		}
	}
	return append(s.tasks[0].steps[:len(s.tasks[0].steps):len(s.tasks[0].steps)], found.steps...)
}
