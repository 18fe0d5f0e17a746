package app

import (
	"agentflow/internal/plural"
	"agentflow/internal/share"
	"agentflow/internal/share/exchange"
	"agentflow/memory/quote"
)

// Limits for the report of one exchange: anyone who can push can create any number of folders.
const (
	maxRefusedTold = 10  // folders
	maxRefusedText = 250 // bytes of a reason
)

// Refuse stores the folders that are refused now, and queues a report for each new one.
func (t *Teamwork) Refuse(list []exchange.Refused) {
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

// Refusals says why folders are refused, one folder a line.
func Refusals(list []exchange.Refused) []string {
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
	if text = CleanLine(text); len(text) > maxRefusedText {
		text = CleanLine(text[:maxRefusedText]) + "…"
	}
	return text
}

// TellRefused reports each refusal once.
func (t *Teamwork) TellRefused(repository string, warn func(format string, args ...any)) {
	t.mu.Lock()
	list := t.untold
	t.untold = nil
	t.mu.Unlock()
	for _, line := range list {
		warn("%s: %s", repository, line)
	}
}
