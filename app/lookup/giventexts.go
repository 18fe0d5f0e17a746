package lookup

import (
	"context"

	"agentflow/app"
	"agentflow/executor/runfolder"
	"agentflow/memory"
)

// GivenTexts returns the texts of entries and facts that an agent was given, as memory holds them
// now. Text written by hand has no id and is left out.
func GivenTexts(ctx context.Context, s *app.Repo, items []runfolder.RecalledItem) (texts []string) {
	for _, item := range items {
		if !memory.IsID(item.ID) {
			continue
		}
		found, err := Find(ctx, s, item.ID)
		if err != nil {
			found, err = findShared(ctx, s, item.ID)
		}
		switch {
		case err != nil:
		case found.Fact != nil:
			texts = append(texts, found.Fact.Whole())
		case found.Entry != nil:
			texts = append(texts, found.Entry.Title, found.Entry.Task, found.Entry.Summary)
			for _, f := range found.Entry.Facts {
				texts = append(texts, f.Whole())
			}
		}
	}
	return texts
}
