package app

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/api"
	"agentflow/memory"
	"agentflow/uses"
)

func readme(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("testdata/json.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// fields are the names of a value's JSON object, in order.
func fields(t *testing.T, value any) []string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(data)))
	var out []string
	depth, key := 0, true
	for {
		token, err := dec.Token()
		if err != nil {
			return out
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			continue
		case json.Delim('}'), json.Delim(']'):
			depth--
			key = true
			continue
		}
		if depth == 1 && key {
			out = append(out, token.(string))
		}
		if depth == 1 {
			key = !key
		}
	}
}

// words are the field names of a documented list, what stands in brackets
// left out.
func documented(text, from, to string) []string {
	text = text[strings.Index(text, from)+len(from):]
	text = text[:strings.Index(text, to)]
	text = regexp.MustCompile(`\([^)]*\)|\[[^\]]*\]|\{[^}]*\}`).ReplaceAllString(text, "")
	return strings.Fields(text)
}

func TestReadmeJSONFields(t *testing.T) {
	entry := memory.Entry{Result: &memory.Result{Undone: time.Now()}}
	object := api.NewRun(entry, "")
	object.Hits = []memory.Hit{{}}
	object.Recalled = []api.Shown{{}}
	text := readme(t)
	named := documented(text, "without `hits`: `", "`; `recalled`")
	if have := fields(t, object); !slices.Equal(named, have) {
		t.Errorf("a run object\nREADME  %v\nprogram %v", named, have)
	}
	named = documented(text, "A hit, in `search --json`: `", "`.")
	hit := memory.Hit{EntryID: "x", Source: "x", Namespace: "x", Gone: true, Undone: true, FromRepository: true, Explain: &memory.Explain{}}
	if have := fields(t, hit); !slices.Equal(named, have) {
		t.Errorf("a hit\nREADME  %v\nprogram %v", named, have)
	}
	named = documented(text, "as `memory list --json` lists them: `", "`, what is empty")
	now := time.Now()
	fact := memory.Fact{ID: "x", Text: "Name: x", Key: "x", Category: "x", Namespace: "x", Confidence: 1, Created: now, Updated: now, Expires: now, Struck: true,
		SupersededBy: "x", Supersedes: "x", Merged: []memory.Origin{{ID: "x"}}, Source: "x", Commit: "x", Tags: []string{"pinned"}}
	if have := fields(t, storedFact{Fact: fact, storedBlock: storedBlock{File: "x"}, StartLine: 1, used: uses.Use{Get: 1}}.object()); !slices.Equal(named, have) {
		t.Errorf("a memory\nREADME  %v\nprogram %v", named, have)
	}
	named = documented(text, "`diff --json`: `", "`, `swept`")
	if have := fields(t, api.Diff{}); !slices.Equal(named, have) {
		t.Errorf("a diff\nREADME  %v\nprogram %v", named, have)
	}
	named = documented(text, "`undo --json`: `", "`, `aside`")
	if have := fields(t, api.Undo{}); !slices.Equal(named, have) {
		t.Errorf("an undo\nREADME  %v\nprogram %v", named, have)
	}
}
