package prompt

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/quote"
	"agentflow/memory/retrieval"
)

// entry is one hit, ready for the block.
type entry struct {
	hit   retrieval.Hit
	head  string   // line after the entry's number, not quoted
	lines []string // quoted text, without the prefix
	mark  string   // added at the end when lines are cut
	short bool     // lines are not all of the hit: far more than any budget
}

// newEntry prepares an entry of a block, without the facts that drop selects. If no block of
// budget tokens could hold the text, newEntry reads only its beginning.
func newEntry(h retrieval.Hit, budget int, in Input, drop func(memory.Fact) bool) entry {
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
	// Removing comments can join the text around them, so tags
	// are defused afterwards.
	for i := range lines {
		lines[i] = quote.Defuse(lines[i])
	}
	return entry{
		hit:   h,
		head:  strings.Join(about(h), " · "),
		lines: lines,
		mark:  quote.Mark + "… (cut; see " + nameOf(h) + ")\n",
		short: short,
	}
}

// lines returns a hit's text in the format, not quoted yet.
func (in *Input) lines(h retrieval.Hit, text string) []string {
	if in.Format == Detailed || in.Format == Structured || h.Kind == "" {
		return in.Format.lines(h, text)
	}
	if lines, whole := in.brief(h, text); whole {
		return lines
	}
	return part(h, text, in.Files)
}

// hasText reports whether a hit's text contains more than headings.
func hasText(h retrieval.Hit, text string) bool {
	title := untimed(quote.Inline(h.Heading))
	return slices.ContainsFunc(compact(h, quote.Lines(text)), func(l string) bool {
		return l != title && !strings.HasPrefix(strings.TrimSpace(l), "#")
	})
}

// Said returns the facts in an entry's text, a paragraph each.
func Said(h retrieval.Hit) string {
	var texts []string
	for _, b := range markdown.Parse([]byte(h.Text)).Blocks {
		for _, f := range b.Facts {
			texts = append(texts, f.Whole())
		}
	}
	return strings.Join(texts, "\n\n")
}

// about lists the known properties of a hit, and how to read all of it.
func about(h retrieval.Hit) []string {
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
		list = append(list, h.Date.Local().Format(time.DateOnly))
	}
	const shown = 3
	if len(h.Commits) > 0 {
		ids := make([]string, 0, shown)
		for _, id := range h.Commits[:min(shown, len(h.Commits))] {
			ids = append(ids, shortCommit(id))
		}
		text := strings.Join(ids, ", ")
		if more := len(h.Commits) - shown; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		list = append(list, text)
	}
	if h.Gone {
		list = append(list, "not in HEAD")
	}
	if name := nameOf(h); len(h.Commits) == 0 || !isNamed(h) {
		list = append(list, name)
	}
	return list
}

// nameOf returns the name by which an agent can get all of a hit: a commit or the id of its
// entry if memory here finds it by them, or else its place.
func nameOf(h retrieval.Hit) string {
	switch {
	case !isNamed(h):
		return quote.Path(h.Path) + ":" + strconv.Itoa(h.StartLine) + "-" + strconv.Itoa(h.EndLine)
	case len(h.Commits) > 0:
		return shortCommit(h.Commits[0])
	}
	return "entry " + memory.ShortID(markdown.NamedHit(h).EntryID)
}

// isNamed reports whether a hit is an entry of the memory of this repository.
func isNamed(h retrieval.Hit) bool {
	return h.Kind != "" && memory.IsID(h.EntryID) && h.Repository == "" && strings.HasPrefix(h.Path, "memory/")
}

func shortCommit(id string) string {
	short := []rune(quote.Inline(id))
	return string(short[:min(7, len(short))])
}

// entries prepares hits. It leaves out hits without remaining lines, and hits that are only
// the title of another.
func (in *Input) entries(hits []retrieval.Hit, budget int, drop func(memory.Fact) bool) (list []entry) {
	for _, h := range hits {
		if e := newEntry(h, budget, *in, drop); len(e.lines) > 0 {
			list = append(list, e)
		}
	}
	all := slices.Clone(list)
	return slices.DeleteFunc(list, func(e entry) bool {
		return slices.ContainsFunc(all, func(other entry) bool { return len(e.lines) == 1 && e.repeats(other) })
	})
}

// repeats reports whether the line of e gives less information than that of another.
func (e entry) repeats(other entry) bool {
	more := strings.TrimPrefix(other.lines[0], e.lines[0])
	return len(more) < len(other.lines[0]) && (len(other.lines) > 1 || strings.HasPrefix(more, " ("))
}

// whole renders all of e as the n-th of a block.
func (e entry) whole(n int) string { return e.render(n, len(e.lines)) }

// cut renders as many of e's lines as fit, with a mark at the end; nothing
// when not even one does.
func (e entry) cut(n int, fits func(string) bool) string {
	lines := sort.Search(len(e.lines), func(i int) bool { return !fits(e.render(n, i+1) + e.mark) })
	if lines == 0 {
		return ""
	}
	return e.render(n, lines) + e.mark
}

func (e entry) render(n, lines int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%d] %s\n", n, e.head)
	for _, l := range e.lines[:lines] {
		b.WriteString(quoteLine(l))
	}
	return b.String()
}

// quoteLine returns a line of recalled text as a block shows it.
func quoteLine(l string) string { return strings.TrimRight(quote.Mark+l, " ") + "\n" }
