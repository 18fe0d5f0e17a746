package markdown

import (
	"strings"

	"agentflow/memory"
	"agentflow/memory/internal/outline"
)

// FormatFact writes a fact as one bullet with its newline: the first line of its text, its other
// fields in a comment, and later lines indented.
func FormatFact(f memory.Fact) string {
	f = f.Normal()
	text := strike(escapeText(f.Text, place{start: true}), f.Struck)
	if strings.HasPrefix(text, factMark) {
		text = hexEscape(text[0]) + text[1:]
	}
	first, rest, more := strings.Cut(text, "\n")
	var b strings.Builder
	b.WriteByte('-')
	if first != "" {
		b.WriteString(" " + first)
	}
	if c := factComment(f); c != "" {
		b.WriteString(" " + c)
	}
	b.WriteByte('\n')
	if more {
		b.WriteString(rest + "\n")
	}
	return b.String()
}

// factOf builds a fact from its comment and its text.
func factOf(f fields, text string, struck bool) memory.Fact {
	var merged []memory.Origin
	for _, o := range f.list("merged") {
		merged = append(merged, parseOrigin(o))
	}
	return memory.Fact{
		ID: f.value("id"), Type: memory.FactType(f.value("type")), Importance: f.share("importance"), Confidence: f.share("confidence"),
		Tags: f.list("tags"), Category: f.value("category"), Key: f.value("key"), Namespace: f.value("ns"), Paths: f.list("paths"),
		Supersedes: f.value("supersedes"), Struck: struck, SupersededBy: f.value("by"), Merged: merged,
		Source: f.value("source"), Agent: f.value("agent"), Session: f.value("session"),
		Person: f.value("person"), Said: f.value("said"), Edited: f.value("edited"), Reason: f.value("reason"), Commit: f.value("commit"),
		Created: commentTime(f.value("created"), false), Updated: commentTime(f.value("updated"), false),
		Expires: commentTime(f.value("expires"), true), Text: text,
	}.Normal()
}

// strikeMark begins and ends the text of a fact that no longer holds, because Markdown strikes
// through text between these marks.
const strikeMark = "~~"

// struckText removes the marks from a bullet's text, which is still escaped, and reports whether
// they were there.
func struckText(lines []string) bool {
	last := len(lines) - 1
	first, ok := strings.CutPrefix(lines[0], strikeMark)
	if !ok || last == 0 && !strings.HasSuffix(first, strikeMark) || !strings.HasSuffix(lines[last], strikeMark) {
		return false
	}
	if last == 0 && first == strikeMark {
		return false // nothing is struck
	}
	lines[0] = first
	lines[last] = strings.TrimSuffix(lines[last], strikeMark)
	return true
}

// strike escapes a fact's text and adds the marks if, and only if, the fact is struck.
func strike(text string, struck bool) string {
	if !struck {
		if strings.HasPrefix(text, strikeMark) {
			return `\` + text
		}
		return text
	}
	if strings.HasPrefix(text, "~") {
		text = `\` + text // three would open a code fence
	}
	return strikeMark + text + strikeMark
}

// factAt reads the bullet on line i as a fact, and returns the line after it. Its comment is on its
// first line or, if an editor has wrapped the text, on a later one. plain allows a bullet without a
// comment to be a fact too.
func factAt(l outline.Lines, i, limit int, b outline.Bullet, plain bool) (memory.Fact, int, bool) {
	text, f, ok := trailingComment(b.Text)
	end := i + 1
	first := b.Text
	if ok {
		first = text
	}
	first = unmarked(first)
	var more []string
	for end < limit {
		k := l.NextText(end, limit)
		if k == limit || outline.Indent(l.Line(k)) < b.Indent+2 {
			break
		}
		line := l.Line(k)
		t, g, has := trailingComment(line)
		if _, nested := outline.BulletOf(line); nested && (has || !ok && !plain) {
			break
		}
		for ; end < k; end++ {
			more = append(more, "")
		}
		if has && !ok {
			f, ok, line = g, true, t
		}
		more = append(more, outline.Outdent(line, b.Indent+2))
		end = k + 1
	}
	if !ok && !plain {
		return memory.Fact{}, 0, false
	}
	text, struck := bulletText(append([]string{first}, more...))
	return factOf(f, text, struck), end, true
}

// factMark begins the bullet of a fact in an entry of version 2.
const factMark = "[fact]"

// unmarked returns the text of a bullet without the mark of a fact.
func unmarked(text string) string {
	if rest, ok := strings.CutPrefix(text, factMark); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
		return strings.TrimLeft(rest, " \t")
	}
	return text
}

// bulletText joins the lines of a bullet, without the marks that strike them through.
func bulletText(lines []string) (text string, struck bool) {
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	struck = struckText(lines)
	for i, line := range lines {
		lines[i] = unescape(line)
	}
	return strings.Join(lines, "\n"), struck
}
