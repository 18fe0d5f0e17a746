package consolidate

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"agentflow/internal/parallel"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// fold moves the daily files that are old enough into the file of their month, byte for byte
// and ordered by day. It reports whether it changed anything.
func (p *plan) fold() (changed bool) {
	actions, changed := p.folder.fold(p.FoldAfter, p.Now, nil)
	p.actions = append(p.actions, actions...)
	return changed
}

// fold moves the daily files of a certain age into the file of their month; 0 means none. only
// limits the months into which days are folded; nil: all.
func (d *folder) fold(age time.Duration, now time.Time, only map[string]bool) (actions []Action, changed bool) {
	if age == 0 {
		return nil, false
	}
	until := memory.DayFile(now.Add(-age))
	months := map[string][]string{}
	for _, name := range d.names() {
		_, isDay := memory.DayOf(name)
		if month := monthOf(name); isDay && name < until && !d.untouched[name] && !d.untouched[month] && (only == nil || only[month]) {
			months[month] = append(months[month], name)
		}
	}
	apply := func(f folding) {
		changed = true
		for _, name := range d.apply(f) {
			actions = append(actions, Action{Kind: Folded, File: name, To: f.month, Reason: fmt.Sprintf("it is older than %d days", int(age.Hours()/24))})
		}
	}
	order := slices.Sorted(maps.Keys(months))
	all := slices.Collect(parallel.Map(order, func(month string) folding { return d.folding(month, months[month]...) }))
	for _, f := range all {
		if f.same {
			apply(f)
			continue
		}
		for _, name := range f.days { // one of them has unusual Markdown
			if one := d.folding(f.month, name); one.same {
				apply(one)
				continue
			}
			d.untouched[name] = true
			actions = append(actions, Action{Kind: Left, File: name, Reason: "its Markdown would not read the same in " + f.month})
		}
	}
	return actions, changed
}

// folding is a month with some of its days.
type folding struct {
	month string
	days  []string
	text  []byte // nil: the month has them already
	same  bool   // the result has the same entries and facts as the month and the days
}

// folding computes how to fold days into a month, and changes nothing.
func (d *folder) folding(month string, days ...string) folding {
	f := folding{month: month, days: days}
	was := markdown.Parse(d.files[month])
	docs := []*markdown.Document{was}
	var extra []string
	for _, name := range days {
		if d.extra(month, name) {
			docs, extra = append(docs, markdown.Parse(d.files[name])), append(extra, name)
		}
	}
	if f.same = len(extra) == 0; f.same {
		return f
	}
	f.text = d.folded(month, was, extra)
	f.same = sameEntries(f.text, docs)
	return f
}

// apply replaces the days by their month, and returns their names.
func (d *folder) apply(f folding) []string {
	if f.text != nil {
		d.put(f.month, f.text)
	}
	for _, name := range f.days {
		d.put(name, nil)
	}
	return f.days
}

// folded returns the file of a month with additional days, in order. A day begins with a
// heading of its date, which is added if it is missing.
func (d *folder) folded(month string, was *markdown.Document, days []string) []byte {
	old := d.files[month]
	size := len(old)
	for _, name := range days {
		size += len(d.files[name]) + len("\n# 2026-11-21\n\n")
	}
	text := make([]byte, 0, size)
	from := 0
	for _, name := range days {
		day := strings.TrimSuffix(name, ".md")
		at := dayOffset(was, day)
		text = blankLine(append(text, old[from:at]...))
		from = at
		if !opens(d.files[name], "# "+day) {
			text = append(text, "# "+day+"\n\n"...)
		}
		text = append(text, d.files[name]...)
	}
	if from < len(old) {
		text = append(blankLine(text), old[from:]...)
	}
	return text
}

// extra reports whether a daily file has text that its month does not have.
func (d *folder) extra(month, name string) bool {
	heading := "# " + strings.TrimSuffix(name, ".md")
	body := bytes.TrimSpace(d.files[name])
	return len(body) > 0 && string(body) != heading && !(opens(body, heading) && bytes.Contains(d.files[month], body))
}

// opens reports whether a text begins with a line.
func opens(text []byte, line string) bool {
	head, _, _ := bytes.Cut(bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\uFEFF")), "\r\n"), []byte{'\n'})
	return string(bytes.TrimRight(head, " \t\r")) == line
}

// dayOffset returns the place of a day's text in its month: before the first heading of a later
// day.
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

// sameEntries reports whether a text has the entries and facts of the documents, unchanged.
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

// standing lists a document's entries with their bytes, and the facts outside of entries.
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

// monthOf returns the file into which a daily file is folded. For another file it returns its
// name.
func monthOf(name string) string {
	if day, ok := memory.DayOf(name); ok {
		return memory.MonthFile(day)
	}
	return name
}
