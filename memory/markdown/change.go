package markdown

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentflow/memory"
	"agentflow/memory/changeset"
)

// FormatChange writes a change on one line, without the bullet:
//
//	M auth/session.go (+12 −3)
//	R auth/clock.go ← auth/time.go (+1 −1) (already changed before)
//	* vendor/ (120 files, +400 −20)
//	A notes.txt (+4 −0) (possibly)
//	A .claude/worktrees/topic: parser.txt (+4 −0)
//
// The last one is in another working tree. The line shows only one certainty: "possibly".
func FormatChange(c changeset.Change) string {
	c = c.Normal()
	var b strings.Builder
	if 'A' <= c.Status && c.Status <= 'Z' || c.Status == changeset.StatusFolder {
		b.WriteByte(byte(c.Status))
	} else {
		fmt.Fprintf(&b, `\x%02X`, byte(c.Status))
	}
	b.WriteByte(' ')
	if c.Tree != "" {
		b.WriteString(memory.QuotePath(c.Tree) + treeEnd)
	}
	b.WriteString(memory.QuotePath(c.InTree()))
	if c.OldPath != "" {
		b.WriteString(" ← " + memory.QuotePath(c.OldPath))
	}
	switch counts := fmt.Sprintf("+%d −%d", c.Added, c.Deleted); {
	case c.Files != 0 && c.Counted:
		fmt.Fprintf(&b, " (%d files, %s)", c.Files, counts)
	case c.Files != 0:
		fmt.Fprintf(&b, " (%d files)", c.Files)
	case c.Counted:
		b.WriteString(" (" + counts + ")")
	}
	if c.Note != "" {
		note := escapeInline(c.Note)
		// ParseChange reads counts up to the first closing parenthesis.
		first, _, _ := strings.Cut(note, ")")
		if _, ok := readCounts(first); ok {
			note = fmt.Sprintf(`\x%02X`, note[0]) + note[1:]
		}
		b.WriteString(" (" + note + ")")
	}
	line := b.String()
	if rest, marked := cutPossibly(line); marked { // only a note can end like this
		line = rest + ` (possibl\x79)`
	}
	if c.Certainty == changeset.Possible {
		line = putPossibly(line)
	}
	return line
}

// treeEnd separates a working tree from a path in it.
const treeEnd = ": "

// ParseChange reverses FormatChange for a change in the run's own working tree. It reports
// false if a line is not a change.
func ParseChange(s string) (changeset.Change, bool) { return parseChange(s, false) }

// parseChange reads the line of a change. elsewhere says that it may name another working tree.
func parseChange(s string, elsewhere bool) (changeset.Change, bool) {
	var c changeset.Change
	s, marked := cutPossibly(strings.TrimRight(s, " \t"))
	if marked {
		c.Certainty = changeset.Possible
	}
	status, rest, ok := strings.Cut(s, " ")
	switch status = unescape(status); {
	case !ok || len(status) != 1:
		return changeset.Change{}, false
	default:
		c.Status = changeset.Status(status[0])
	}
	if elsewhere {
		c.Tree, rest = cutTree(rest)
	}
	if c.Path, rest, ok = cutPath(rest); !ok {
		return changeset.Change{}, false
	}
	c.Path = changeset.PathInTree(c.Tree, c.Path)
	if old, found := strings.CutPrefix(rest, " ← "); found {
		if c.OldPath, rest, ok = cutPath(old); !ok {
			return changeset.Change{}, false
		}
	}
	rest = strings.TrimRight(rest, " \t")
	if inside, ok := strings.CutPrefix(rest, " ("); ok {
		if counts, after, ok := strings.Cut(inside, ")"); ok {
			if n, ok := readCounts(counts); ok {
				c.Files, c.Added, c.Deleted, c.Counted = n.files, n.added, n.deleted, n.counted
				rest = after
			}
		}
	}
	if rest == "" {
		return c.Normal(), true
	}
	note, ok := strings.CutPrefix(rest, " (")
	if !ok || !strings.HasSuffix(note, ")") {
		return changeset.Change{}, false
	}
	c.Note = unescape(note[:len(note)-1])
	return c.Normal(), true
}

// cutTree cuts the working tree off the front of a line. tree is empty if the line names none.
func cutTree(s string) (tree, rest string) {
	if strings.HasPrefix(s, `"`) {
		tree, n, _ := memory.UnquotePath(s)
		if rest, found := strings.CutPrefix(s[n:], treeEnd); found {
			return tree, rest
		}
		return "", s
	}
	if tree, _, found := strings.Cut(s[:pathEnd(s)], treeEnd); found {
		return tree, s[len(tree)+len(treeEnd):]
	}
	return "", s
}

func cutPath(s string) (path, rest string, ok bool) {
	if strings.HasPrefix(s, `"`) {
		path, n, ok := memory.UnquotePath(s)
		return path, s[n:], ok
	}
	end := pathEnd(s)
	path = strings.TrimRight(s[:end], " \t")
	return path, s[end:], path != ""
}

// pathEnd returns where the unquoted path at the beginning of a line ends.
func pathEnd(s string) int {
	end := len(s)
	for _, mark := range []string{" ← ", " ("} {
		if i := strings.Index(s[:end], mark); i >= 0 {
			end = i
		}
	}
	return end
}

type counts struct {
	files, added, deleted int
	counted               bool
}

// readCounts reads "+12 −3", "120 files" and "120 files, +400 −20".
func readCounts(s string) (n counts, ok bool) {
	if files, rest, found := strings.Cut(s, " files"); found {
		var err error
		if n.files, err = strconv.Atoi(files); err != nil {
			return counts{}, false
		}
		if rest == "" {
			return n, true
		}
		if s, ok = strings.CutPrefix(rest, ", "); !ok {
			return counts{}, false
		}
	}
	added, deleted, found := strings.Cut(s, " −")
	added, plus := strings.CutPrefix(added, "+")
	if !found || !plus {
		return counts{}, false
	}
	var err1, err2 error
	n.added, err1 = strconv.Atoi(added)
	n.deleted, err2 = strconv.Atoi(deleted)
	n.counted = true
	return n, err1 == nil && err2 == nil
}

// possibly ends the line of a change, or of a commit, that is only possible. People see it, and may
// remove or add it. Whether the other changes are shown or likely is in the comment of the entry,
// one letter per line.
const possibly = "(possibly)"

// cutPossibly removes the mark from the end of a line.
func cutPossibly(line string) (rest string, marked bool) {
	if line == possibly {
		return "", true
	}
	return strings.CutSuffix(line, " "+possibly)
}

func putPossibly(line string) string {
	if line == "" {
		return possibly
	}
	return line + " " + possibly
}

// certaintyLetters returns the first letters of the certainties of Changes and of Uncommitted, in
// order: "sslp/l". It returns "" for an entry without certainties, such as one of a commit.
func certaintyLetters(e memory.Entry) string {
	if !e.Kind.ByAgent() || len(e.Changes.Items)+len(e.Uncommitted.Items) == 0 {
		return ""
	}
	var letters []byte
	for _, c := range e.Changes.Items {
		letters = append(letters, c.Certainty[0])
	}
	letters = append(letters, '/')
	for _, c := range e.Uncommitted.Items {
		letters = append(letters, c.Certainty[0])
	}
	return string(letters)
}

// blobs returns the blobs of a list, in order, or nil if none is known.
func blobs(l changeset.List) []string {
	if !slices.ContainsFunc(l.Items, func(c changeset.Change) bool { return c.Blob != "" }) {
		return nil
	}
	list := make([]string, len(l.Items))
	for i, c := range l.Items {
		list[i] = c.Blob
	}
	return list
}
