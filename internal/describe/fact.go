package describe

import (
	"fmt"

	"agentflow/app/api"
)

// WhyShown returns why a fact is shown.
func WhyShown(f api.RecalledFact) string {
	why := "said by an agent, in MEMORY.md"
	switch {
	case f.Day != "":
		why = "a note of " + f.Day
	case f.Standing:
		why = StatedBy(f)
	}
	if f.Pinned {
		why = "pinned, " + why
	}
	if f.Chance != nil && *f.Chance > 0 {
		why += fmt.Sprintf(", chance %.2f that the task needs it", *f.Chance)
	}
	return why
}

// StatedBy returns who stated a fact.
func StatedBy(f api.RecalledFact) string {
	switch {
	case f.From != "":
		return "in " + f.From
	case f.Author != "":
		return "stated by " + f.Author + ", who shares it"
	}
	return "stated by a person"
}
