// Package factfit fits the matcher of facts (index/factrank) to the sets of
// testdata/facts, and measures it on repositories that it was not fitted to.
package factfit

import (
	"slices"

	"agentflow/index/factrank"
	"agentflow/internal/eval/factset"
	"agentflow/memory"
)

// Memory is a set of facts, or the first of them, with the tasks for them.
type Memory struct {
	Name   string
	Facts  []factrank.Fact
	Tokens []int
	Tasks  []Task
}

// Task is a task with the facts that it needs.
type Task struct {
	factrank.Task
	Kind  factset.TaskKind
	Needs []int // indexes of facts
}

// Of returns the memory of the first n facts of a set.
func Of(s *factset.Set, n int) *Memory {
	keep := make([]int, min(n, len(s.Facts)))
	for i := range keep {
		keep[i] = i
	}
	return ofFacts(s, keep, newFileIndex(s.Files))
}

func ofFacts(s *factset.Set, keep []int, files *fileIndex) *Memory {
	m := &Memory{Name: s.Name}
	index := map[string]int{}
	for _, i := range keep {
		f := s.Facts[i]
		index[f.ID] = len(m.Facts)
		m.Facts = append(m.Facts, factrank.Fact{ID: f.ID, Text: f.Text, Under: f.Under, Paths: f.Paths})
		m.Tokens = append(m.Tokens, memory.Tokens("- "+f.Text+"\n"))
	}
	for _, t := range s.Tasks {
		task := Task{Task: factrank.Task{Text: t.Text, Files: files.likely(t.Text)}, Kind: t.Kind}
		for _, id := range t.Needs {
			if i, ok := index[id]; ok {
				task.Needs = append(task.Needs, i)
			}
		}
		slices.Sort(task.Needs)
		m.Tasks = append(m.Tasks, task)
	}
	return m
}
