package app

import (
	"path/filepath"
	"time"

	"agentflow/executor"
	"agentflow/index/factrank"
	"agentflow/memory"
	"agentflow/prompt"
)

// estimate gives the facts that people state the chance that a task needs them.
func (s *openMemory) estimate(found *executor.Known, task string) {
	var facts []factrank.Fact
	var at []int
	for i, f := range found.Facts {
		if f.Standing {
			at = append(at, i)
			facts = append(facts, rankedFact(f))
		}
	}
	if len(facts) == 0 {
		return
	}
	m := factrank.New(facts)
	for i, chance := range m.Chances(s.taskOf(found, task)) {
		f := &found.Facts[at[i]]
		f.Chance, f.Needed, f.Order = chance, chance >= m.Gate(), factrank.Worth(chance, memory.Tokens(f.Whole()))
	}
}

// rankedFact is what the matcher knows of a fact.
func rankedFact(f prompt.Fact) factrank.Fact {
	at := f.Created
	if f.Updated.After(at) {
		at = f.Updated
	}
	return factrank.Fact{ID: f.ID, Text: f.Text, Under: f.Under, Pinned: f.Pinned(), Uses: f.Uses, Time: at}
}

// taskOf is what the matcher knows of a task.
func (s *openMemory) taskOf(found *executor.Known, text string) factrank.Task {
	task := factrank.Task{Text: text, Now: time.Now()}
	if dir, err := filepath.Rel(s.Worktree, s.dir); err == nil && filepath.IsLocal(dir) && dir != "." {
		task.Dir = filepath.ToSlash(dir)
	}
	for _, f := range found.Files {
		task.Files = append(task.Files, factrank.File{Path: f.Path, Chance: f.Chance})
	}
	return task
}

// missed reports whether a fact has become relevant for a conversation that was not shown
// it: a person states it and the prompt needs it, or an agent said it and it is about the
// prompt.
func missed(f prompt.Fact, gate float64) bool {
	if f.Standing {
		return f.Needed
	}
	return f.About >= gate && f.Evidence > 0
}
