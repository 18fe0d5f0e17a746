package describe

import (
	"slices"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// ReadableLine is a line of Markdown of memory for people.
type ReadableLine struct {
	Text string
	ID   string // of the fact with a text that begins or ends in the line; empty for other lines
	Code bool   // it belongs to fenced code
}

// Readable returns the lines of an entry's Markdown without the comments that only programs
// read, and without the blank line after its comment. Its heading has the entry's time in the
// reader's zone.
func Readable(text string, at time.Time) (lines []ReadableLine) {
	hidden := false
	var code markdown.Fence
	text = local(text, at)
	for line := range strings.SplitSeq(strings.TrimRight(memory.Clean(text), "\n"), "\n") {
		line, id, entry := markdown.ReadableLine(line)
		if entry || hidden && line == "" {
			hidden = entry
			continue
		}
		hidden = false
		if code.Holds(line) {
			lines = append(lines, ReadableLine{line, id, true})
			continue
		}
		lines = append(lines, ReadableLine{Text: plainer(line), ID: id})
	}
	return lines
}

// plainer returns a line with words for people: a bullet that has the rest of a cut title is no further prompt,
// a full stop before the outcome is left out, a list's first mark has no escape, and bullets say that others
// changed a file meanwhile, and that a commit was made later.
func plainer(line string) string {
	const changed, note, committed = "- changed: ", "- note: ", "committed meanwhile "
	for _, label := range relabelled {
		if rest, cut := strings.CutPrefix(line, label[0]); cut {
			return label[1] + rest
		}
	}
	if strings.HasPrefix(line, changed) || strings.HasPrefix(line, note+committed) {
		return strings.ReplaceAll(line, committed, "committed later ")
	}
	if item, escaped := strings.CutPrefix(line, `\* `); escaped {
		return "  * " + item
	}
	if title, outcome, ok := strings.Cut(line, ".: "); ok && strings.HasPrefix(line, "## ") && slices.Contains(outcomes, outcome) {
		return title + ": " + outcome
	}
	return line
}

// relabelled has the labels of bullets, each with the words that show prints instead.
var relabelled = [][2]string{
	{"- asked: …", "- the rest of the title: …"},
	{"- meanwhile: ", "- changed meanwhile, but not by the agent: "},
}

// outcomes are the ends of headings.
var outcomes = []string{"failed", "timed out", "interrupted", "not started", "discussed"}

// local replaces the time at the beginning of an entry's heading, which the file has in the zone of
// the work, and maybe without the date.
func local(text string, at time.Time) string {
	const mark = "## "
	for _, form := range []string{minute, "15:04"} {
		if rest, timed := strings.CutPrefix(text, mark+at.Format(form)); timed {
			return mark + at.Local().Format(minute) + rest
		}
	}
	return text
}
