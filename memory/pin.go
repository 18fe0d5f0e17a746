package memory

import (
	"slices"
	"strings"
)

// Pin marks what has this full id as pinned, or takes the mark off, wherever
// it stands: an entry in its own comment (pinned=1), a fact by the tag
// "pinned" in its bullet's. text is the file after that; every byte outside
// those comments is kept. found says whether anything has the id; when all of
// it is so already, text equals the file. The document itself is not changed.
func (d *Document) Pin(id string, pinned bool) (text []byte, found bool) {
	if id == "" {
		return d.Bytes(), false
	}
	for _, b := range d.Blocks {
		raw := string(b.Raw)
		l := splitLines(b.Raw)
		// From the end, so that what is before keeps its place.
		for _, f := range slices.Backward(b.Facts) {
			if f.ID == id {
				raw = f.pin(raw, l, f.StartLine-b.StartLine, pinned)
				found = true
			}
		}
		if b.Entry != nil && b.Entry.ID == id {
			raw = pinEntry(raw, l, pinned)
			found = true
		}
		text = append(text, raw...)
	}
	return text, found
}

// Pinned says whether everything with this id is pinned; false when nothing
// has it.
func (d *Document) Pinned(id string) bool {
	found := false
	for _, b := range d.Blocks {
		marks := map[bool]bool{}
		if b.Entry != nil && b.Entry.ID == id {
			marks[b.Entry.Pinned] = true
		}
		for _, f := range b.Facts {
			if f.ID == id {
				marks[slices.Contains(f.Tags, pinnedTag)] = true
			}
		}
		if marks[false] {
			return false
		}
		found = found || marks[true]
	}
	return found
}

func pinEntry(raw string, l lines, pinned bool) string {
	for i := range l.count() {
		f, ok := entryComment(l.at(i))
		if !ok {
			continue
		}
		if isPinned(f) == pinned {
			return raw
		}
		value := ""
		if pinned {
			value = "1"
		}
		from, to := insideComment(l, i)
		return raw[:from] + setPair(raw[from:to], "pinned", value) + raw[to:]
	}
	return raw
}

// isPinned reads the mark of an entry's comment.
func isPinned(f fields) bool { return f["pinned"] == "1" }

// pin changes the first comment at or below line i, which is the fact's.
func (f FactAt) pin(raw string, l lines, i int, pinned bool) string {
	if slices.Contains(f.Tags, pinnedTag) == pinned {
		return raw
	}
	for ; ; i++ {
		if _, _, ok := trailingComment(l.at(i)); ok {
			break
		}
	}
	tags := slices.DeleteFunc(slices.Clone(f.Tags), func(t string) bool { return t == pinnedTag })
	if pinned {
		tags = append(tags, pinnedTag)
	}
	from, to := insideComment(l, i)
	return raw[:from] + setPair(raw[from:to], "tags", encodeList(tags), keysAfter("tags")...) + raw[to:]
}

// insideComment is where the pairs of the comment that ends line i stand.
func insideComment(l lines, i int) (from, to int) {
	line := strings.TrimRight(l.at(i), " \t")
	from = strings.LastIndex(line, commentOpen) + len(commentOpen)
	return l.start[i] + from, l.start[i] + len(line) - len(commentClose)
}

// setPair gives key its encoded value among the pairs of a comment, or takes
// it out when the value is empty. A new pair goes before the first of the
// keys in before, else to the end, where Format puts it.
func setPair(pairs, key, value string, before ...string) string {
	var b strings.Builder
	put := func() {
		if value != "" {
			b.WriteString(key + "=" + value + " ")
			value = ""
		}
	}
	for _, word := range strings.Fields(pairs) {
		name, _, _ := strings.Cut(word, "=")
		if name == key || slices.Contains(before, name) {
			put()
		}
		if name != key {
			b.WriteString(word + " ")
		}
	}
	put()
	return b.String()
}
