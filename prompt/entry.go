package prompt

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/quote"
)

// entry is one hit, ready for the block.
type entry struct {
	head  string   // its own line, not quoted
	lines []string // what is quoted, without the prefix
	mark  string   // stands at the end when lines are cut
	short bool     // lines are not all of the hit: far more than any budget
}

// newEntry prepares the n-th entry of a block, without the facts that drop
// names. Of a text that no block of budget tokens could hold only the
// beginning is looked at.
func newEntry(h memory.Hit, n, budget int, in Input, drop func(memory.Fact) bool) entry {
	place := quote.Path(h.Path) + ":" + strconv.Itoa(h.StartLine) + "-" + strconv.Itoa(h.EndLine)
	text, short := h.Text, false
	// No estimate counts more than four runes, of four bytes each, a token.
	if most := 16*budget + 16*1024; len(text) > most {
		text, short = text[:most], true
	}
	var lines []string
	left := markdown.Without(text, drop)
	if left == text || hasText(h, left) {
		lines = in.lines(h, left)
	}
	// Taking comments out can put together what they stood between, so tags
	// are looked for afterwards.
	for i := range lines {
		lines[i] = quote.Defuse(lines[i])
	}
	return entry{
		head:  fmt.Sprintf("[%d] %s\n", n, strings.Join(append(about(h), place), " · ")),
		lines: lines,
		mark:  quote.Mark + "… (cut; see " + place + ")\n",
		short: short,
	}
}

// lines returns a hit's text in the format, not quoted yet.
func (in *Input) lines(h memory.Hit, text string) []string {
	if in.Format == Detailed || in.Format == Structured || h.Kind == "" {
		return in.Format.lines(h, text)
	}
	if lines, whole := brief(h, text, in.Files); whole {
		return lines
	}
	return part(h, text, in.Files)
}

// hasText reports whether a hit's text says anything beside headings.
func hasText(h memory.Hit, text string) bool {
	title := untimed(quote.Inline(h.Heading))
	return slices.ContainsFunc(compact(h, quote.Lines(text)), func(l string) bool {
		return l != title && !strings.HasPrefix(strings.TrimSpace(l), "#")
	})
}

// about lists what is known of a hit beside its place.
func about(h memory.Hit) []string {
	var list []string
	if h.Repository != "" {
		list = append(list, "of the repository "+quote.Name(h.Repository))
	}
	if h.Person != "" {
		list = append(list, "stored by "+quote.Name(h.Person))
	}
	if h.Author != "" {
		list = append(list, "shared by "+quote.Name(h.Author))
	}
	if !h.Date.IsZero() {
		list = append(list, h.Date.Format("2006-01-02 15:04"))
	}
	const shown = 3
	if len(h.Commits) > 0 {
		ids := make([]string, 0, shown)
		for _, id := range h.Commits[:min(shown, len(h.Commits))] {
			short := []rune(quote.Inline(id))
			ids = append(ids, string(short[:min(7, len(short))]))
		}
		text := "commit " + strings.Join(ids, ", ")
		if more := len(h.Commits) - shown; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		list = append(list, text)
	}
	if h.Gone {
		list = append(list, "not in HEAD")
	}
	return list
}

// whole renders all of e.
func (e entry) whole() string { return e.render(len(e.lines)) }

// cut renders as many of e's lines as fit, with a mark at the end; nothing
// when not even one does.
func (e entry) cut(fits func(string) bool) string {
	n := sort.Search(len(e.lines), func(i int) bool { return !fits(e.render(i+1) + e.mark) })
	if n == 0 {
		return ""
	}
	return e.render(n) + e.mark
}

func (e entry) render(n int) string {
	var b strings.Builder
	b.WriteString(e.head)
	for _, l := range e.lines[:n] {
		b.WriteString(quoteLine(l))
	}
	return b.String()
}

// quoteLine is a line as recalled text stands in a block.
func quoteLine(l string) string { return strings.TrimRight(quote.Mark+l, " ") + "\n" }
