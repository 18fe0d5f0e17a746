package apptest

import (
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// WriteEntries makes the memory of one day.
func (p *Place) WriteEntries(day string, entries ...memory.Entry) {
	text := "# " + day + "\n"
	for _, e := range entries {
		text += "\n" + string(markdown.Format(e))
	}
	p.Write(".agentflow/memory/"+day+".md", text)
}

var (
	Noon  = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	Paint = memory.Entry{ID: "01938f6e-0000-7000-8000-00000000bbbb", Kind: memory.KindRun, Agent: "command", Title: "Paint the door", Task: "Paint the door", Time: Noon.Add(time.Hour), Result: &memory.Result{Outcome: memory.OutcomeFailed}}
	Note  = memory.Entry{ID: "01938f6e-0000-7000-8000-00000000cccc", Kind: memory.KindNote, Time: Noon.Add(2 * time.Hour), Facts: []memory.Fact{{ID: "01938f6e-0000-7000-8000-00000000dddd", Type: memory.Semantic, Text: "Paint dries slowly."}}}
)
