package standing

import (
	"time"

	"agentflow/executor"
	"agentflow/index/factrank"
	"agentflow/prompt"
)

// Estimate sets, for each fact that a person stated, the chance that a task needs it.
func Estimate(found *executor.Known, task string) {
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
	for i, chance := range m.Chances(rankedTask(found, task)) {
		f := &found.Facts[at[i]]
		f.Chance, f.Needed = chance, chance >= m.Gate()
	}
}

// rankedFact converts a fact to the form of the matcher.
func rankedFact(f prompt.Fact) factrank.Fact {
	at := f.Created
	if f.Updated.After(at) {
		at = f.Updated
	}
	return factrank.Fact{ID: f.ID, Text: f.Text, Under: f.Under, Paths: f.Paths, Pinned: f.Pinned(), Uses: f.Uses, Time: at}
}

// rankedTask converts a task to the form of the matcher.
func rankedTask(found *executor.Known, text string) factrank.Task {
	task := factrank.Task{Text: text, Dir: found.Folder, Now: time.Now()}
	for _, f := range found.Files {
		task.Files = append(task.Files, factrank.File{Path: f.Path, Chance: f.Chance})
	}
	return task
}

// Missed reports whether a fact has become relevant for a conversation that was not shown it. A fact that a person
// stated is relevant if the prompt needs it. A fact that an agent stored is relevant if it is about the prompt. A
// person's fact with Paths is always relevant, unless it is hidden.
func Missed(f prompt.Fact, gate float64) bool {
	if f.Standing {
		return f.Needed || len(f.Paths) > 0
	}
	return f.About >= gate && f.Evidence > 0
}
