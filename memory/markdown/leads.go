package markdown

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"agentflow/memory"
	"agentflow/memory/internal/outline"
)

// Plain reports whether a heading adds nothing to the text below it: it is a date, or
// the name of a file or of a kind of text, such as "Memory".
func Plain(heading string) bool { return outline.Heading{Text: heading}.Plain() }

// leads tracks the lines, other than headings, that apply to the next text: "Avoid:"
// before a list, and the items that the text is nested in. Without them an item may say
// the reverse of what its author meant.
type leads struct {
	label    string     // the last line in bold that serves as a heading: "**Never**"
	lead     string     // the paragraph that introduces the list, or the next paragraph
	items    []openItem // items that the next item may be nested in
	onlyNext bool       // lead introduces only the next paragraph
}

type openItem struct {
	indent int
	text   string // without nested items
	parent bool   // it has nested items
}

// ends drops the lead and the open items when a list ends.
func (l *leads) ends() { l.lead, l.items, l.onlyNext = "", nil, false }

// above returns the label and the lead, which apply to a whole list. It omits plain ones.
func (l *leads) above() (list []string) {
	for _, s := range []string{l.label, l.lead} {
		if s = leadText(s); !outline.Plain(s) {
			list = append(list, s)
		}
	}
	return list
}

// item adds an item with this indent, and returns the label, the lead and the parent
// items that apply to it, the outermost first.
func (l *leads) item(indent int, text string) []string {
	own := ownText(text)
	for n := len(l.items); n > 0; n-- {
		last := &l.items[n-1]
		if last.indent < indent {
			last.parent = true
			break
		}
		// "- Avoid:" without nested items introduces the items after it.
		if last.indent == indent && !last.parent && LeadsOn(last.text) && !LeadsOn(own) {
			return l.within()
		}
		l.items = l.items[:n-1]
	}
	list := l.within()
	l.items = append(l.items, openItem{indent: indent, text: own})
	for line := range strings.Lines(text[len(own):]) {
		if b, ok := outline.BulletOf(strings.TrimRight(line, "\n")); ok {
			l.item(indent+2+b.Indent, b.Text)
		}
	}
	return list
}

// within returns the label, the lead and the parent items that apply to the next item of
// the innermost list, the outermost first. It stops where bounded would cut them.
func (l *leads) within() (list []string) {
	size := 0
	for _, it := range slices.Backward(l.items) {
		s := leadText(it.text)
		if outline.Plain(s) {
			continue
		}
		if size += len(s); size > maxUnder && len(list) > 0 {
			slices.Reverse(list)
			return list
		}
		list = append(list, s)
	}
	slices.Reverse(list)
	return append(l.above(), list...)
}

// ownText returns the text of an item without its nested items.
func ownText(text string) string {
	at := 0
	for line := range strings.Lines(text) {
		if _, bullet := outline.BulletOf(line); at > 0 && (bullet || outline.NumberedItem(strings.TrimSpace(line))) {
			return text[:at]
		}
		at += len(line)
	}
	return text
}

// maxUnder bounds the total size of a text's headings and leads, in bytes. If they are
// larger, the outermost ones are dropped.
const maxUnder = 600

func bounded(under []string) []string {
	size := 0
	for i, above := range slices.Backward(under) {
		if size += len(above); size > maxUnder && i+1 < len(under) {
			return under[i+1:]
		}
	}
	return under
}

// headings shortens each heading as leadText does.
func headings(list []string) []string {
	for i, text := range list {
		if bold := strings.HasPrefix(text, "*") && strings.HasSuffix(text, "*"); bold || memory.PathsOfHeading(text, nil) == nil {
			list[i] = leadText(text)
		}
	}
	return slices.Clip(list)
}

// maxLead limits the runes of a lead. The end of a longer one is kept, because
// it says what follows.
const maxLead = 300

// leadText returns a lead on one line, without its colon, and at most maxLead runes long.
func leadText(text string) string {
	text = strings.Trim(strings.Join(strings.Fields(text), " "), "*_:： ")
	if n := utf8.RuneCountInString(text); n > maxLead {
		_, text, _ = strings.Cut(string([]rune(text)[n-maxLead:]), " ")
		text = "… " + text
	}
	return text
}

const (
	maxLabel   = 80  // runes of a line in bold that serves as a heading
	maxPointer = 200 // runes of a sentence without a colon that introduces the next text
)

// isLabel reports whether a paragraph is one short line in bold: "**Never**".
func isLabel(text string) bool {
	text = strings.TrimRight(text, ":： ")
	for _, mark := range []string{"**", "__"} {
		inside := strings.TrimSuffix(strings.TrimPrefix(text, mark), mark)
		if len(text) == len(inside)+2*len(mark) && inside != "" && !strings.ContainsAny(inside, mark+"\n") {
			return utf8.RuneCountInString(text) <= maxLabel
		}
	}
	return false
}

// ahead matches sentences about the text that follows them: "Do none of these."
var ahead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(these|those|following|below|folgende[nrms]?|diese[nrms]?|suivante?s?|siguientes?|seguinti|seguintes)\b|以下|下記|下列`)
})

func pointsAhead(text string) bool {
	return utf8.RuneCountInString(text) <= maxPointer && ahead().MatchString(text)
}

// paragraph records whether the paragraph of the lines [i, end) introduces the text after
// it. It reports whether the paragraph says nothing by itself.
func (r *noteReader) paragraph(text string, i, end, limit int) (leadsOn bool) {
	r.leads.ends()
	label := isLabel(text)
	next := end
	for next < limit && (r.l.Blank(next) || r.o.At(next).Kind == outline.Comment) {
		next++
	}
	if next == limit || outline.IsRule(r.l.Line(next)) {
		return LeadsOn(text)
	}
	line := r.l.Line(next)
	_, bullet := outline.BulletOf(line)
	list := bullet && !outline.OnlyAbout(line) || outline.NumberedItem(line)
	leadsOn = LeadsOn(text) || label || pointsAhead(text)
	switch {
	case list:
		adjacent := next == end && (i == 0 || r.l.Blank(i-1) || r.o.At(i-1).Kind != outline.Text)
		if leadsOn = leadsOn || adjacent; leadsOn {
			r.leads.lead = text
		}
	case r.o.At(next).Kind != outline.Text: // a table, or code, joins it
	case label:
		r.leads.label = text
	case LeadsOn(text):
		r.leads.lead, r.leads.onlyNext = text, true
	default:
		return false
	}
	return leadsOn
}

// Above returns the lines, other than headings, that apply to a line of the note, the
// outermost first. line is counted as StartLine is. For a line after the head of the note
// they include that head: an item with nested items, a sentence before a list, or the
// head of a table.
func (n Note) Above(line int) []string {
	if line <= n.StartLine {
		return n.Within
	}
	lines, under := n.Head()
	if line < n.StartLine+lines {
		return n.Within
	}
	return under
}

// Head counts the lines at the beginning of the note that introduce the rest, and returns the
// result of Above for the rest. It reads the whole note.
func (n Note) Head() (lines int, under []string) {
	own := ownText(n.Text)
	if head, ok := tableHead(n.Text); ok {
		own = head
	}
	if own == n.Text {
		return n.EndLine - n.StartLine + 1, n.Within
	}
	return strings.Count(own, "\n"), append(slices.Clip(n.Within), leadText(own))
}

// tableHead returns the text above the delimiter row of a table.
func tableHead(text string) (head string, ok bool) {
	at := 0
	for line := range strings.Lines(text) {
		if at > 0 && outline.DelimiterRow(strings.TrimRight(line, "\n")) {
			return text[:at], true
		}
		at += len(line)
	}
	return "", false
}

// Under returns the headings and leads that apply to a line of the document, the
// outermost first. It returns nil for a heading and for a line of an entry.
func (d *Document) Under(file string, line int) []string {
	for _, n := range d.Notes(file) {
		if n.StartLine <= line && line <= n.EndLine {
			return append(slices.Clip(n.Under), n.Above(line)[len(n.Within):]...)
		}
	}
	return nil
}

// placed returns under as it applies to the fact. It drops the section of the fact's own
// category, because consolidation made it. It appends the category of an imported fact,
// which is the heading above the fact in the imported file.
func placed(f memory.Fact, under []string) []string {
	under = slices.DeleteFunc(slices.Clone(under), func(u string) bool { return strings.EqualFold(u, f.Category) })
	if strings.HasPrefix(f.Source, memory.ImportedFrom) && !outline.Plain(f.Category) {
		under = append(under, f.Category)
	}
	return under
}
