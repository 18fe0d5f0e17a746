package describe

import (
	"fmt"
	"path"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/quote"
	"agentflow/memory/retrieval"
)

// Heading returns the heading of a hit, with its time in the reader's zone, as log and why have it.
func Heading(h retrieval.Hit) string {
	if rest, dated := strings.CutPrefix(h.Heading, h.Date.Format(minute)); dated {
		return h.Date.Local().Format(minute) + rest
	}
	return h.Heading
}

// minute is the form of times for people.
const minute = "2006-01-02 15:04"

// Day returns the date of a time in the reader's zone. A time that is a date alone, which memory
// reads as midnight in UTC, stays that date.
func Day(t time.Time) string {
	if h, m, s := t.Clock(); t.Location() == time.UTC && h+m+s == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Local().Format(time.DateOnly)
}

// Found describes a hit for a model: its heading, its place, its id, its score if hits are
// sorted by that, and its text. Each line of the text is quoted, so that no text of memory
// looks like another hit or like AgentFlow's text.
func Found(h retrieval.Hit, scored bool) string {
	line := Place(h.Path, h.StartLine, h.EndLine)
	if h.EntryID != "" {
		line += " · id " + memory.ShortID(h.EntryID)
	}
	if !h.Date.IsZero() {
		line += " · " + Day(h.Date)
	}
	if scored {
		line += fmt.Sprintf(" · score %.2f", h.Score)
	}
	for _, mark := range []struct {
		is   bool
		text string
	}{{h.Repository != "", "of the repository " + quote.Name(h.Repository)}, {h.Person != "", "stored by " + quote.Name(h.Person)}, {h.Author != "", "shared by " + quote.Name(h.Author)}, {closedToAgents(h), "only the user may change it"}, {h.Undone, "undone since"}, {h.Gone, "its commits are gone"}, {h.FromRepository, NotTheUsers}} {
		if mark.is {
			line += " · " + mark.text
		}
	}
	text := h.Text
	if first, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "## ") {
		text = rest // the heading is the title already
	}
	title := Place(h.Path, 0, 0)
	if h.Heading != "" {
		title = quote.Text(Heading(h))
	}
	return "# " + title + "\n" + line + "\n" + quote.Block(Prose(text))
}

// closedToAgents reports whether a hit is a fact that no agent changes or removes: a person stated it.
func closedToAgents(h retrieval.Hit) bool {
	return h.EntryID != "" && !h.FromRepository && (h.Kind == memory.KindNote && !h.ByTool || path.Base(h.Path) == memory.LastingFile)
}

// NotTheUsers is a mark for text that came with the repository and that the user has not
// accepted.
const NotTheUsers = "came with the repository: not the user's memory"

// InRepository names a file of memory as a person finds it in the repository: ".agentflow/memory/2026-11-21.md". Files
// of other memories keep their label.
func InRepository(file string) string {
	if strings.HasPrefix(file, "memory/") {
		return ".agentflow/" + file
	}
	return file
}

// Place names lines of a file, or the file if the lines are unknown.
func Place(file string, from, to int) string {
	file = InRepository(file)
	if from == 0 {
		return quote.Path(file)
	}
	return Lines(quote.Path(file), from, to)
}

// Prose returns Markdown of memory without the parts that only programs read: comments, the
// rules between entries, and facts that no longer hold.
func Prose(text string) string {
	var kept []string
	for line := range strings.SplitSeq(memory.Clean(text), "\n") {
		bare := strings.TrimRight(markdown.WithoutComment(line), " ")
		switch {
		case bare == "---" || strings.HasPrefix(bare, "- ~~") || strings.HasPrefix(bare, "- [fact] ~~") || strings.HasPrefix(bare, "<!-- agentflow "):
		case bare == "" && (line != "" || len(kept) == 0 || kept[len(kept)-1] == ""):
		default:
			kept = append(kept, bare)
		}
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}

// Degraded describes a failed part to a model.
func Degraded(line string) string { return "(did not work: " + quote.Text(line) + ")" }

// OneLine returns text of memory on one line.
func OneLine(text string) string { return strings.ReplaceAll(memory.Clean(text), "\n", " ") }
