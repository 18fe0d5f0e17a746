package app

import (
	"agentflow/internal/plural"
	"agentflow/memory/quote"
	"agentflow/share"
	"agentflow/share/exchange"
)

// Limits for the report of one exchange: anyone who can push can create any number of folders.
const (
	maxRefusedTold = 10  // folders
	maxRefusedText = 250 // bytes of a reason
)

// refuse stores the folders that are refused now, and queues a report for each new one.
func (t *teamwork) refuse(list []exchange.Refused) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before, told := t.refused, 0
	t.refused = map[share.CloneID]string{}
	for _, f := range list {
		t.refused[f.ID] = f.Why
		if why, known := before[f.ID]; known && why == f.Why {
			continue
		}
		if told++; told <= maxRefusedTold {
			t.untold = append(t.untold, "clones/"+quote.Path(string(f.ID))+" is refused: "+cleanStart(f.Why))
		}
	}
	if more := told - maxRefusedTold; more > 0 {
		t.untold = append(t.untold, plural.Count(more, "more folder")+" below clones/ are refused")
	}
}

// refusals says why folders are refused, one folder a line.
func refusals(list []exchange.Refused) []string {
	lines := []string{}
	for _, f := range list[:min(len(list), maxRefusedTold)] {
		lines = append(lines, "clones/"+quote.Path(string(f.ID))+": "+cleanStart(f.Why))
	}
	if more := len(list) - len(lines); more > 0 {
		lines = append(lines, plural.Count(more, "more folder")+" below clones/")
	}
	return lines
}

// cleanStart returns the beginning of a text as one line that is safe for a terminal.
func cleanStart(text string) string {
	if text = cleanLine(text); len(text) > maxRefusedText {
		text = cleanLine(text[:maxRefusedText]) + "…"
	}
	return text
}

// tellRefused reports each refusal once.
func (t *teamwork) tellRefused(repository string, warn func(format string, args ...any)) {
	t.mu.Lock()
	list := t.untold
	t.untold = nil
	t.mu.Unlock()
	for _, line := range list {
		warn("%s: %s", repository, line)
	}
}
