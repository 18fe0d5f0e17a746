package consolidate

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// fold puts the daily files that are old enough into the file of their month,
// byte for byte, each where its day belongs. It says whether it did anything.
func (p *plan) fold() (changed bool) {
	if p.FoldAfter == 0 {
		return false
	}
	until := memory.DayFile(p.Now.Add(-p.FoldAfter))
	months := map[string][]string{}
	for _, name := range p.names() {
		day, ok := memory.DayOf(name)
		if month := memory.MonthFile(day); ok && name < until && !p.untouched[name] && !p.untouched[month] {
			months[month] = append(months[month], name)
		}
	}
	for _, month := range slices.Sorted(maps.Keys(months)) {
		if p.foldDays(month, months[month]...) {
			changed = true
			continue
		}
		for _, name := range months[month] { // one of them is odd
			if p.foldDays(month, name) {
				changed = true
				continue
			}
			p.untouched[name] = true
			p.actions = append(p.actions, Action{Kind: Left, File: name, Reason: "its Markdown would not read the same in " + month})
		}
	}
	return changed
}

// foldDays folds days into a month, unless anything would not read the same.
func (p *plan) foldDays(month string, names ...string) bool {
	text := p.folded(month, names)
	docs := []*markdown.Document{p.doc(month)}
	for _, name := range names {
		if p.extra(month, name) {
			docs = append(docs, p.doc(name))
		}
	}
	if !sameEntries(text, docs) {
		return false
	}
	if len(docs) > 1 {
		p.files[month] = text
		delete(p.docs, month)
	}
	for _, name := range names {
		p.files[name] = nil
		delete(p.docs, name)
		p.actions = append(p.actions, Action{Kind: Folded, File: name, To: month, Reason: fmt.Sprintf("it is older than %d days", int(p.FoldAfter.Hours()/24))})
	}
	return true
}

// folded is the file of a month with those of some of its days, in order. A
// day begins with a heading of its date, which one that lacks it is given.
func (p *plan) folded(month string, names []string) []byte {
	old := p.files[month]
	var text []byte
	from := 0
	for _, name := range names {
		if !p.extra(month, name) {
			continue
		}
		day := strings.TrimSuffix(name, ".md")
		at := dayOffset(p.doc(month), day)
		text = blankLine(append(text, old[from:at]...))
		from = at
		if !opens(p.files[name], "# "+day) {
			text = append(text, "# "+day+"\n\n"...)
		}
		text = append(text, p.files[name]...)
	}
	if from < len(old) {
		text = append(blankLine(text), old[from:]...)
	}
	return text
}

// extra says whether a daily file holds anything that its month does not.
func (p *plan) extra(month, name string) bool {
	heading := "# " + strings.TrimSuffix(name, ".md")
	body := bytes.TrimSpace(p.files[name])
	return len(body) > 0 && string(body) != heading && !(opens(body, heading) && bytes.Contains(p.files[month], body))
}

// opens says whether a text begins with a line.
func opens(text []byte, line string) bool {
	head, _, _ := bytes.Cut(bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\uFEFF")), "\r\n"), []byte{'\n'})
	return string(bytes.TrimRight(head, " \t\r")) == line
}

// dayOffset is where a day's text belongs in its month: before the first
// heading of a later day.
func dayOffset(month *markdown.Document, day string) int {
	offset := 0
	for i := range month.Blocks {
		b := &month.Blocks[i]
		for _, h := range b.Headings(i == 0) {
			if _, isDay := memory.DayOf(h.Text + ".md"); isDay && h.Level == 1 && h.Text > day {
				return offset + lineOffset(b.Raw, h.Line-b.StartLine)
			}
		}
		offset += len(b.Raw)
	}
	return offset
}

// sameEntries says whether a text holds the entries and facts of documents as
// they stood in them.
func sameEntries(text []byte, docs []*markdown.Document) bool {
	have := standing(markdown.Parse(text))
	var want []string
	for _, d := range docs {
		want = append(want, standing(d)...)
	}
	slices.Sort(have)
	slices.Sort(want)
	return slices.Equal(have, want)
}

// standing lists a document's entries with their bytes, and the facts outside
// of them.
func standing(d *markdown.Document) []string {
	var list []string
	for _, b := range d.Blocks {
		if b.Entry != nil {
			list = append(list, string(bytes.TrimSpace(b.Raw)))
			continue
		}
		for _, f := range b.Facts {
			list = append(list, string(bytes.TrimSpace(f.Raw)))
		}
	}
	return list
}
