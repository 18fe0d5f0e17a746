package transfer

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"agentflow/internal/words"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Join plans the additions, as Plan does, that bring the files of another folder of the same
// memory into memory. An entry or fact that both have with different texts is added under
// another id.
func Join(files, other map[string][]byte, barred func(id string) bool) ([]memory.FileEdit, Report) {
	ours := textsByID(files)
	var items []Item
	for _, name := range slices.Sorted(maps.Keys(other)) {
		text := other[name]
		if _, there := files[name]; name == memory.FeedbackFile || bytes.Equal(files[name], text) || !there && barred(memory.WholeFile(name)) {
			continue
		}
		if mayBeWhole(name, text) && isMore(name, text) {
			items = append(items, Item{Whole: text, Name: name, File: name, Line: 1})
		}
		for _, it := range readMarkdown(name, text) {
			items = append(items, it.apart(ours)...)
		}
	}
	return Plan(files, items, Options{Barred: barred})
}

// textsByID returns the texts of facts, and of entries without their facts, by id.
func textsByID(files map[string][]byte) map[string]string {
	texts := map[string]string{}
	for _, content := range files {
		for _, b := range markdown.Parse(content).Blocks {
			if b.Entry != nil {
				texts[b.Entry.ID] = entrySays(*b.Entry)
			}
			for _, f := range b.Facts {
				texts[f.ID] = words.SameText(f.Text)
			}
		}
	}
	return texts
}

func entrySays(e memory.Entry) string {
	e.Facts, e.Pinned = nil, false
	return string(markdown.Format(e)) + e.Extra
}

// apart returns the item with no id, or a new one for an entry, where its id has another text
// in texts. If texts holds the same entry, it returns only the entry's facts, which may differ.
func (it Item) apart(texts map[string]string) (items []Item) {
	if it.Entry == nil {
		if it.Fact.Source == memory.ImportedFrom+it.File {
			it.Fact.Source = memory.ByHand
		}
		it.Fact = factApart(it.Fact, texts)
		return []Item{it}
	}
	e := *it.Entry
	e.Facts = slices.Clone(e.Facts)
	for i := range e.Facts {
		e.Facts[i] = factApart(e.Facts[i], texts)
	}
	switch said, stands := texts[e.ID]; {
	case stands && said == entrySays(e):
		year, month, day := e.Time.Date()
		for _, f := range e.Facts {
			items = append(items, Item{Fact: f, Day: time.Date(year, month, day, 0, 0, 0, 0, time.UTC), File: it.File, Line: it.Line})
		}
		return items
	case stands:
		e.ID = memory.HashID("entry", entrySays(e))
		it.Raw = bytes.ReplaceAll(it.Raw, []byte(it.Entry.ID), []byte(e.ID))
	}
	it.Entry = &e
	return []Item{it}
}

func factApart(f memory.Fact, texts map[string]string) memory.Fact {
	if said, stands := texts[f.ID]; stands && said != words.SameText(f.Text) {
		f.ID = ""
	}
	return f
}
