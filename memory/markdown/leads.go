package markdown

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"agentflow/memory/internal/outline"
)

// Plain says whether a heading adds nothing to what stands under it: a date, or the
// name of a file or of a kind of text, such as "Memory".
func Plain(heading string) bool { return outline.Heading{Text: heading}.Plain() }

// leads is what a text stands under beside headings: "Avoid:" before a list, and the
// items that it is nested in. Without it an item may say the reverse of what was meant.
type leads struct {
	label    string     // a line in bold that is as good as a heading: "**Never**"
	lead     string     // the paragraph that leads to the list, or to the next paragraph
	items    []openItem // that the next item may be nested in
	onlyNext bool       // lead is for the next paragraph alone
}

type openItem struct {
	indent int
	text   string // without what is nested in it
	parent bool   // something is nested in it
}

// ends takes up that a list is over.
func (l *leads) ends() { l.lead, l.items, l.onlyNext = "", nil, false }

// above is what all of a list stands under.
func (l *leads) above() (list []string) {
	for _, s := range []string{l.label, l.lead} {
		if s = leadText(s); !outline.Plain(s) {
			list = append(list, s)
		}
	}
	return list
}

// item takes up an item with this indent, and gives all that it stands under.
func (l *leads) item(indent int, text string) []string {
	own := ownText(text)
	for n := len(l.items); n > 0; n-- {
		last := &l.items[n-1]
		if last.indent < indent {
			last.parent = true
			break
		}
		// "- Avoid:" with nothing nested in it leads to the items behind it.
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

// within returns the texts that the next item of the innermost list is nested under, the
// outermost first. It stops where bounded would cut them.
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

// ownText is the text of an item without the items that are nested in it.
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

// maxUnder bounds what a text stands under, in bytes: of more the innermost is kept.
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

// headings are those of a text, each short.
func headings(list []string) []string {
	for i := range list {
		list[i] = leadText(list[i])
	}
	return slices.Clip(list)
}

// maxLead is how many runes of a text that leads to others are kept: of a longer one
// the end, which says what follows.
const maxLead = 300

// leadText is a text that leads on, on one line and without its colon.
func leadText(text string) string {
	text = strings.Trim(strings.Join(strings.Fields(text), " "), "*_:： ")
	if n := utf8.RuneCountInString(text); n > maxLead {
		_, text, _ = strings.Cut(string([]rune(text)[n-maxLead:]), " ")
		text = "… " + text
	}
	return text
}

const (
	maxLabel   = 80  // runes of a line in bold that is as good as a heading
	maxPointer = 200 // runes of a sentence without a colon that leads to what follows
)

// isLabel says whether a paragraph is a line in bold: "**Never**".
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

// ahead finds sentences that are about what follows them: "Do none of these."
var ahead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(these|those|following|below|folgende[nrms]?|diese[nrms]?|suivante?s?|siguientes?|seguinti|seguintes)\b|以下|下記|下列`)
})

func pointsAhead(text string) bool {
	return utf8.RuneCountInString(text) <= maxPointer && ahead().MatchString(text)
}

// paragraph takes up what the paragraph of the lines [i, end) leads to, and says
// whether it says nothing by itself.
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

// Above is what a line of the note, counted as the note's are, stands under beside
// headings: also what begins the note, be it an item with others nested in it, a
// sentence before a list, or the head of a table.
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

// Head counts the lines that begin the note and lead to the rest of it, and returns what
// that rest stands under. It reads the whole note.
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

// tableHead is what stands above the rows of a table.
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

// Under is what a line of the document stands under, the outermost first; nothing of a
// heading or of an entry.
func (d *Document) Under(file string, line int) []string {
	for _, n := range d.Notes(file) {
		if n.StartLine <= line && line <= n.EndLine {
			return append(slices.Clip(n.Under), n.Above(line)[len(n.Within):]...)
		}
	}
	return nil
}

// Opening is what has to stand between a text and bullets that are added to it, so
// that they stand under nothing that a person wrote: none, a section, or a title that
// ends all sections. headed says that a heading of level two comes first anyway.
func Opening(text []byte, title string, headed bool) string {
	under := func(more string) bool {
		whole := append(slices.Clip(text), more+"- mark\n"...)
		return len(Parse(whole).Under("", strings.Count(string(whole), "\n"))) > 0
	}
	const section = "\n## Facts\n\n"
	switch {
	case under(section):
		return "\n# " + title + "\n\n"
	case headed || !under(""):
		return ""
	}
	return section
}
