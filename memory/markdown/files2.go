package markdown

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentflow/memory"
	"agentflow/memory/changeset"
)

// A bullet of version 2 lists changed files:
//
//	- changed: cmd/age/parse.go +1 −0
//	- changed: notes/todo.txt +4 −0 (new) (possibly), vendor/ (120 files), and 12 more (all uncommitted)
//	- changed: checkout.js +1 −0 (committed meanwhile in 9de23cc)
//
// The files beyond maxListed are in the entry's comment, in the same form. A list is also of
// uncommitted changes if each of its files has a note of where another person put it.

// maxListed limits the files in a bullet.
const maxListed = 8

const (
	listSep         = ", "
	markUncommitted = "uncommitted"
	markAll         = "all " + markUncommitted
	markRest        = "the rest " + markUncommitted
	markCommitted   = "committed"
	moreFiles       = "and %d more"
)

var listMarks = []string{markUncommitted, markAll, markRest, markCommitted}

// fileMarks marks statuses. A modified file has no mark, and a renamed one has an
// arrow.
var fileMarks = map[changeset.Status]string{changeset.StatusAdded: "new", changeset.StatusDeleted: "deleted"}

const statusMark = "status "

// fileList writes the bullet's value, and returns the files that did not fit, for the comment.
func fileList(items []changeset.Change, k fileKind) (line string, more []string) {
	var parts []string
	left := 0
	for i, c := range items {
		if i < maxListed {
			parts = append(parts, formatFile(c))
			continue
		}
		more = append(more, formatFile(c))
		left += max(c.Files, 1)
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf(moreFiles, left))
	}
	line = strings.Join(parts, listSep)
	if mark := listMark(items[:min(len(items), maxListed)], k); mark != "" {
		line += " (" + mark + ")"
	}
	return line, more
}

// listMark returns the mark at the end of a list that applies to all its files. It returns "" if
// the files have marks themselves.
func listMark(items []changeset.Change, k fileKind) string {
	taken := countTaken(items)
	switch {
	case k == listChanges && taken == len(items):
		return markCommitted
	case k != listUncommitted || taken == len(items):
		return ""
	case taken > 0:
		return markRest
	case len(items) == 1:
		return markUncommitted
	}
	return markAll
}

func countTaken(items []changeset.Change) (n int) {
	for _, c := range items {
		if c.Taken() {
			n++
		}
	}
	return n
}

// readFileList reverses fileList, without the files that did not fit. It reads a line that
// people edited as far as it has this form.
func readFileList(line string, elsewhere bool) (items []changeset.Change, uncommitted, ok bool) {
	line, mark := cutListMark(strings.TrimRight(line, " \t"))
	items, ok = readFiles(line, elsewhere)
	uncommitted = mark != "" && mark != markCommitted || mark == "" && len(items) > 0 && countTaken(items) == len(items)
	return items, uncommitted, ok
}

func cutListMark(line string) (rest, mark string) {
	for _, mark := range listMarks {
		if rest, found := strings.CutSuffix(line, " ("+mark+")"); found {
			return rest, mark
		}
	}
	return line, ""
}

func readFiles(line string, elsewhere bool) (items []changeset.Change, ok bool) {
	for line != "" {
		if isMore(line) {
			return items, true
		}
		c, rest, ok := readFile(line, elsewhere)
		if !ok {
			return nil, false
		}
		items = append(items, c)
		if line, ok = strings.CutPrefix(rest, listSep); !ok && rest != "" {
			return nil, false
		}
	}
	return items, len(items) > 0
}

// isMore reports whether a text is of the form "and 12 more".
func isMore(line string) bool {
	n, ok := strings.CutPrefix(line, "and ")
	n, more := strings.CutSuffix(n, " more")
	_, err := strconv.Atoi(n)
	return ok && more && err == nil
}

// formatFile writes one file of a list.
func formatFile(c changeset.Change) string {
	c = c.Normal()
	var b strings.Builder
	if c.Tree != "" {
		b.WriteString(memory.QuoteListed(c.Tree) + treeEnd)
	}
	b.WriteString(memory.QuoteListed(c.InTree()))
	if c.OldPath != "" {
		b.WriteString(" ← " + memory.QuoteListed(c.OldPath))
	}
	if c.Counted {
		fmt.Fprintf(&b, " +%d −%d", c.Added, c.Deleted)
	}
	mark, known := fileMarks[c.Status]
	switch {
	case c.Status == changeset.StatusFolder:
		fmt.Fprintf(&b, " (%d files)", c.Files)
	case known:
		b.WriteString(" (" + mark + ")")
	case c.Status != plainStatus(c):
		b.WriteString(" (" + statusMark + escapeMark(string([]byte{byte(c.Status)})) + ")")
	}
	if c.Note != "" {
		b.WriteString(" (" + noteMark(c.Note) + ")")
	}
	if c.Certainty == changeset.Possible {
		b.WriteString(" " + possibly)
	}
	return b.String()
}

// plainStatus returns the status of a file without a mark.
func plainStatus(c changeset.Change) changeset.Status {
	if c.OldPath != "" {
		return changeset.StatusRenamed
	}
	return changeset.StatusModified
}

// escapeMark escapes a text in parentheses.
func escapeMark(s string) string {
	return escapeWithout(s, ")")
}

// noteMark escapes a note, so that it does not read as another mark.
func noteMark(note string) string {
	text := escapeMark(note)
	var c changeset.Change
	if takeMark(&c, text) || text == strings.Trim(possibly, "()") || slices.Contains(listMarks, text) {
		text = fmt.Sprintf(`\x%02X`, text[0]) + text[1:]
	}
	return text
}

// readFile reads the first file of a list.
func readFile(s string, elsewhere bool) (c changeset.Change, rest string, ok bool) {
	if elsewhere {
		c.Tree, s = cutListedTree(s)
	}
	if c.Path, rest, ok = cutListedPath(s); !ok {
		return c, "", false
	}
	c.Path = changeset.PathInTree(c.Tree, c.Path)
	if old, found := strings.CutPrefix(rest, " ← "); found {
		if c.OldPath, rest, ok = cutListedPath(old); !ok {
			return c, "", false
		}
	}
	if c.Counted, rest, ok = cutCounts(&c, rest); !ok {
		return c, "", false
	}
	c.Status = plainStatus(c)
	for first := true; ; first = false {
		inside, found := strings.CutPrefix(rest, " (")
		text, after, closed := strings.Cut(inside, ")")
		switch {
		case !found || !closed:
			return c.Normal(), rest, true
		case first && takeMark(&c, text):
		case "("+text+")" == possibly:
			c.Certainty = changeset.Possible
		case c.Note == "":
			c.Note = unescape(text)
		default:
			return c, "", false
		}
		rest = after
	}
}

// takeMark reads the mark of a status.
func takeMark(c *changeset.Change, text string) bool {
	for status, mark := range fileMarks {
		if text == mark {
			c.Status = status
			return true
		}
	}
	if odd, ok := strings.CutPrefix(text, statusMark); ok {
		if odd = unescape(odd); len(odd) == 1 {
			c.Status = changeset.Status(odd[0])
			return true
		}
	}
	if files, ok := strings.CutSuffix(text, " files"); ok {
		n, err := strconv.Atoi(files)
		if err == nil {
			c.Status, c.Files = changeset.StatusFolder, n
		}
		return err == nil
	}
	return false
}

// cutCounts reads " +12 −3".
func cutCounts(c *changeset.Change, s string) (counted bool, rest string, ok bool) {
	inside, found := strings.CutPrefix(s, " +")
	if !found {
		return false, s, true
	}
	end := len(inside)
	for _, stop := range []string{" (", listSep} {
		if i := strings.Index(inside[:end], stop); i >= 0 {
			end = i
		}
	}
	n, ok := readCounts("+" + inside[:end])
	c.Added, c.Deleted = n.added, n.deleted
	return true, inside[end:], ok && n.counted && n.files == 0
}

// cutListedTree cuts the working tree off the front of a file. tree is empty if the file names
// none.
func cutListedTree(s string) (tree, rest string) {
	if strings.HasPrefix(s, `"`) {
		return cutTree(s)
	}
	if tree, _, found := strings.Cut(s[:listedEnd(s)], treeEnd); found {
		return tree, s[len(tree)+len(treeEnd):]
	}
	return "", s
}

func cutListedPath(s string) (path, rest string, ok bool) {
	if strings.HasPrefix(s, `"`) {
		path, n, ok := memory.UnquotePath(s)
		return path, s[n:], ok
	}
	end := listedEnd(s)
	path = s[:end]
	return path, s[end:], path != ""
}

// listedEnd returns where the unquoted path at the beginning of a list ends.
func listedEnd(s string) int {
	end := pathEnd(s)
	for _, mark := range []string{" +", listSep} {
		if i := strings.Index(s[:end], mark); i >= 0 {
			end = i
		}
	}
	return end
}
