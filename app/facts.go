package app

import (
	"fmt"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/uses"
)

// storedFact is a fact where it stands.
type storedFact struct {
	memory.Fact
	storedBlock
	StartLine, EndLine int // of the fact

	used uses.Use // where a list asks for it
}

// feedback is the file of judgements.
const feedback = "memory/" + memory.FeedbackFile

// facts lists what memory holds, the newest file first. A fact that stands in
// several places, as in a copy of a file, is listed once.
func (s *site) facts() []storedFact {
	var list []storedFact
	seen := map[string]bool{}
	for b, err := range s.blocks() {
		if err != nil {
			s.warn("%v", err)
			continue
		}
		if b.File == feedback {
			continue // judgements, which say nothing of the project
		}
		for _, at := range b.Facts {
			if at.ID != "" && seen[at.ID] {
				continue
			}
			seen[at.ID] = true
			list = append(list, s.factAt(b, at))
		}
	}
	return list
}

// factAt is a fact of a block, with its namespace by its one name: people may
// write the project's out, and in the user's own memory all is global.
func (s *site) factAt(b storedBlock, at markdown.FactAt) storedFact {
	k := storedFact{Fact: at.Fact, storedBlock: b, StartLine: at.StartLine, EndLine: at.EndLine}
	if k.Namespace = memory.NamespaceOf(k.Namespace); k.Namespace == memory.ProjectNamespace && s.isGlobal() {
		k.Namespace = memory.GlobalNamespace
	}
	return k
}

// pinned says whether the fact, or the entry it is in, is kept from ageing.
func (k storedFact) pinned() bool { return k.Fact.Pinned() || k.Entry != nil && k.Entry.Pinned }

// created is when the fact was said: a hand-written one may not know.
func (k storedFact) created() time.Time {
	if k.Created.IsZero() && k.Entry != nil {
		return k.Entry.Time
	}
	return k.Created
}

// updated is when its text was last changed, or said.
func (k storedFact) updated() time.Time {
	if k.Updated.IsZero() {
		return k.created()
	}
	return k.Updated
}

// place is where the fact stands, to be shown.
func (k storedFact) place() string { return linesIn(k.File, k.StartLine, k.EndLine) }

// linesIn is where text stands in a file, as editors and people name it.
func linesIn(file string, from, to int) string {
	if from == to {
		return fmt.Sprintf("%s:%d", file, from)
	}
	return fmt.Sprintf("%s:%d-%d", file, from, to)
}
