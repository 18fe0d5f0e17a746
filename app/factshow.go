package app

import (
	"fmt"
	"strings"
	"time"

	"agentflow/memory"
)

// storedFact is the fact that was found, as the list of all has it.
func (s *site) factOf(f storedItem) storedFact {
	for _, at := range f.Facts {
		if at.ID == f.Fact.ID {
			return s.factAt(f.storedBlock, at)
		}
	}
	return storedFact{Fact: *f.Fact, storedBlock: f.storedBlock}
}

// printFact prints all that is known of a fact, a line each.
func (s *site) printFact(f storedItem) {
	k := s.factOf(f)
	byID := map[string]storedFact{}
	for _, other := range s.facts() {
		for _, id := range other.IDs() {
			if _, known := byID[id]; !known || id == other.ID {
				byID[id] = other
			}
		}
	}
	s.printf("%s\n", s.bold(cleanLine("fact "+k.ID)))
	for line := range strings.Lines(memory.Clean(k.Text)) {
		s.printf("  %s\n", strings.TrimRight(line, "\n"))
	}
	say := func(name, value string) {
		if value != "" {
			s.printf("%s %s\n", s.dim(fmt.Sprintf("%-13s", name)), cleanLine(value))
		}
	}
	named := func(id string) string {
		if other, ok := byID[id]; ok {
			return memory.ShortID(id) + "  " + memory.Title(other.Text)
		}
		return memory.ShortID(id)
	}
	say("state", stateOf(k, time.Now()))
	for _, a := range attributes {
		say(a.name, a.get(k.Fact))
	}
	say("superseded by", named(k.SupersededBy))
	say("supersedes", named(k.Supersedes))
	say("source", sourceOf(k.Source, k.Commit))
	say("created", timeText(k.created()))
	say("updated", timeText(k.Updated))
	for _, m := range k.Merged {
		say("merged", strings.TrimSpace(memory.ShortID(m.ID)+"  "+sourceOf(m.Source, m.Commit)+" "+timeText(m.Created)))
	}
	say("stands in", k.place())
}

// stateOf is whether a fact counts.
func stateOf(k storedFact, now time.Time) string {
	var words []string
	switch {
	case k.Struck:
		words = append(words, "struck")
	case !k.Live(now):
		words = append(words, "expired")
	default:
		words = append(words, "live")
	}
	if k.pinned() {
		words = append(words, "pinned")
	}
	return strings.Join(words, ", ")
}

// sourceOf is who said something, and at which commit.
func sourceOf(source, commit string) string {
	if len(source) == fullID {
		source = "run " + memory.ShortID(source)
	}
	if commit != "" {
		source = strings.TrimSpace(source + " at commit " + shortCommit(commit))
	}
	return source
}
