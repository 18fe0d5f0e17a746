package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/gitwatch/history"
	"agentflow/index"
	"agentflow/index/files"
	"agentflow/internal/eval/past"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
	"agentflow/testdata/fitting"
)

// issue is a task of Loc-Bench: the text of an issue, and the files that its fix changes.
type issue struct {
	ID, Repo string
	Base     string // the commit before the fix
	Text     string
	Files    []string
	at       time.Time // of Base
}

// readIssues returns the issues of a file of JSON Lines, by repository.
func readIssues(file string) (map[string][]issue, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	list := map[string][]issue{}
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var one issue
		if err := d.Decode(&one); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list[one.Repo] = append(list[one.Repo], one)
	}
	return list, nil
}

// remembered is how many commits memory holds before the first issue of a repository.
const remembered = 2500

// asked is an issue with its candidates.
type asked struct {
	issue
	task task
}

// recordIssues asks the issues of one repository, the oldest first, of a memory that holds the commits
// before each of them.
func recordIssues(ctx context.Context, c fitting.Corpus, dir string, issues []issue) (list []asked, err error) {
	folder, err := os.MkdirTemp("", "filefit-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	contents := past.Open(dir)
	var last *files.Ranked
	db, err := index.Open(ctx, "", index.Options{Embedder: c.Embedder, Contents: contents.Find, Files: func(r *files.Ranked) { last = r }})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	for i := range issues {
		refs, err := history.IDs(ctx, dir, history.Range{Rev: issues[i].Base, Last: 1})
		if err != nil {
			return nil, err
		}
		issues[i].at = refs[0].Time
	}
	slices.SortFunc(issues, func(a, b issue) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.ID, b.ID)) })
	m := commits{dir: dir, folder: folder, known: map[string]bool{}, days: map[string][]byte{}}
	for _, one := range issues {
		if err := m.until(ctx, one.Base); err != nil {
			return nil, err
		}
		if _, err := db.Sync(ctx, index.Source{Dir: folder, Prefix: "memory/"}); err != nil {
			return nil, err
		}
		if err := contents.At(ctx, one.Base); err != nil {
			return nil, err
		}
		if _, err := db.Ask(ctx, retrieval.Query{Text: one.Text, Now: one.at, Limit: 5, Task: true, Files: 10, Exists: contents.Holds}); err != nil {
			return nil, err
		}
		a := asked{issue: one, task: task{history: one.Repo}}
		for path, x := range last.Candidates() {
			a.task.files = append(a.task.files, candidate{features: x, target: slices.Contains(one.Files, path), path: path})
		}
		list = append(list, a)
	}
	return list, nil
}

// commits writes the commits before a time into a folder of memory.
type commits struct {
	dir, folder string
	known       map[string]bool
	days        map[string][]byte
}

func (m *commits) until(ctx context.Context, commit string) error {
	refs, err := history.IDs(ctx, m.dir, history.Range{Rev: commit, Last: remembered})
	if err != nil {
		return err
	}
	var ids []string
	for _, r := range refs {
		if !m.known[r.ID] {
			m.known[r.ID] = true
			ids = append(ids, r.ID)
		}
	}
	list, err := history.Read(ctx, m.dir, ids)
	if err != nil {
		return err
	}
	changed := map[string]bool{}
	for _, c := range list {
		if len(c.Parents) > 1 {
			continue
		}
		e := history.Entry(c, func(s string) string { return s }, func(string) bool { return false })
		name := memory.DayFile(e.Time)
		if m.days[name] == nil {
			m.days[name] = []byte("# " + name[:len(name)-len(".md")] + "\n\n")
		}
		m.days[name] = append(m.days[name], markdown.Format(e)...)
		changed[name] = true
	}
	for name := range changed {
		if err := os.WriteFile(filepath.Join(m.folder, name), m.days[name], 0o600); err != nil {
			return err
		}
	}
	return nil
}
