package outline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentflow/memory"
)

// About holds the properties that a section of hand-written text states in lines such as "- tags:
// x, y" or "**Commit**: abc1234", and the paths it names in inline code.
type About struct {
	Tags, Commits, Paths []string
	Types                []memory.FactType
	Branch               string
}

// Bounds of the properties of one section.
const (
	maxTag   = 64 // runes
	maxAbout = 200
)

// line adds the properties that one line of text states.
func (a *About) line(line string) {
	if key, value, ok := metaLine(line); ok {
		a.take(key, value)
	}
	for rest := line; len(a.Paths) < maxAbout; {
		_, from, ok := strings.Cut(rest, "`")
		if !ok {
			return
		}
		var code string
		if code, rest, ok = strings.Cut(from, "`"); !ok {
			return
		}
		if p, ok := codePath(code); ok {
			a.Paths = addOnce(a.Paths, p)
		}
	}
}

func (a *About) take(key, value string) {
	switch key {
	case "tag", "tags":
		a.Tags = addTags(a.Tags, value)
	case "commit", "commits":
		for part := range strings.SplitSeq(value, ",") {
			if id, ok := commitID(part); ok && len(a.Commits) < maxAbout {
				a.Commits = addOnce(a.Commits, id)
			}
		}
	case "type":
		if t := memory.FactType(strings.ToLower(bare(value))); t.Known() {
			a.Types = addOnce(a.Types, t)
		}
	case "branch":
		if b := bare(value); a.Branch == "" && plainWord(b) {
			a.Branch = b
		}
	case "file", "files", "path", "paths":
		for part := range strings.SplitSeq(value, ",") {
			if p, ok := codePath(bare(part)); ok && len(a.Paths) < maxAbout {
				a.Paths = addOnce(a.Paths, p)
			}
		}
	}
}

// metaLine reads "- key: value", "**Key**: value" and "**Key:** value", the
// latter two also as a bullet.
func metaLine(line string) (key, value string, ok bool) {
	const longestKey = len("commits")
	b, bullet := BulletOf(line)
	if bullet {
		line = b.Text
	}
	line, bold := strings.CutPrefix(line, "**")
	if !bullet && !bold {
		return "", "", false
	}
	at := strings.IndexByte(line[:min(len(line), longestKey+len("**:"))], ':')
	if at < 0 {
		return "", "", false
	}
	key, value = line[:at], line[at+1:]
	if bold {
		var before, behind bool
		key, before = strings.CutSuffix(key, "**")
		if !before {
			value, behind = strings.CutPrefix(value, "**")
		}
		if !before && !behind {
			return "", "", false
		}
	}
	if value != "" && value[0] != ' ' && value[0] != '\t' {
		return "", "", false
	}
	return strings.ToLower(key), strings.TrimSpace(value), true
}

// OnlyAbout reports whether a line holds only tags, or only the type of its section.
func OnlyAbout(line string) bool {
	key, _, ok := metaLine(line)
	return ok && (key == "tag" || key == "tags" || key == "type")
}

// addTags adds the tags of a list such as "x, y", "[x, y]" or "#x, #y".
func addTags(tags []string, value string) []string {
	value = strings.TrimSpace(value)
	if inside, ok := strings.CutPrefix(value, "["); ok {
		value = strings.TrimSuffix(inside, "]")
	}
	for part := range strings.SplitSeq(value, ",") {
		t := strings.TrimPrefix(bare(part), "#")
		if t != "" && utf8.ValidString(t) && utf8.RuneCountInString(t) <= maxTag && !strings.ContainsFunc(t, unicode.IsControl) && len(tags) < maxAbout {
			tags = addOnce(tags, t)
		}
	}
	return tags
}

// commitID reads an abbreviated or full commit id. Words may follow it.
func commitID(s string) (string, bool) {
	s, _, _ = strings.Cut(strings.TrimSpace(s), " ")
	s = strings.ToLower(bare(s))
	return s, len(s) >= 7 && len(s) <= 40 && strings.Trim(s, "0123456789abcdef") == ""
}

// bare removes blanks, and the quotes or backticks around a value.
func bare(s string) string {
	s = strings.TrimSpace(s)
	if inside := strings.Trim(s, "`"); inside != s {
		return inside
	}
	return unquoted(s)
}

// plainWord reports whether a word can be shown and searched for.
func plainWord(s string) bool {
	return s != "" && len(s) <= 200 && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}

func addOnce[T comparable](list []T, v T) []T {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}
