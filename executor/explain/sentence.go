package explain

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentence is a sentence of a message, with those behind it that depend on it, and what it
// is good for.
type sentence struct {
	text    string
	words   int
	message int
	turn    int
	final   bool
	wrote   bool // its message came after files were written
	reports bool // it may say what was done
	after   bool // its message came after the changes, in a turn without any
	first   bool // in its message
	loose   bool // it refers to a sentence that is left out
	commit  bool // it is of a commit's message

	what, why, cause, rejects, open, fails, tests, plan, aims, names bool
}

// parse returns the sentences of messages that say something.
func parse(messages []Message, files []string) (list sentences) {
	onlyTests := !slices.ContainsFunc(files, func(f string) bool { return !isMatch(testFile, f) })
	messages = withReports(messages)
	wrote := map[int]bool{}
	for _, m := range messages {
		wrote[m.Turn] = wrote[m.Turn] || m.Wrote
	}
	undone, changed := revertedTurns(messages), false
	for i, m := range messages {
		if undone[m.Turn] && m.Final {
			continue
		}
		changed = changed || m.Wrote
		first := len(list)
		for _, text := range units(m.Text) {
			s := read(text, files)
			s.commit = m.Commit
			s.message, s.turn, s.final, s.wrote, s.first = i, m.Turn, m.Final, m.Wrote, len(list) == first
			s.tests, s.loose = s.tests && !onlyTests, isMatch(depends, text) && !isMatch(restates, text)
			s.after = changed && m.Final && !wrote[m.Turn]
			s.reports = m.Wrote || len(wrote) > 0 && !anyOf(wrote) && m.Final
			list = append(list, s)
		}
		if aim := intended(m.Text); aim != "" && wrote[m.Turn] {
			s := read(aim, files)
			s.message, s.turn, s.aims, s.wrote, s.reports = i, m.Turn, true, true, true
			list = append(list, s)
		}
	}
	return list.withoutWithdrawn()
}

// withReports moves the last message of a turn that wrote nothing into the turn before it,
// where that one wrote files and ended without words about them: it asked whether to commit,
// say, and the report came with the commit.
func withReports(messages []Message) []Message {
	messages = slices.Clone(messages)
	open := -1 // the turn that has not reported
	for i := range messages {
		m := &messages[i]
		switch said := len(units(m.Text)) > 0; {
		case m.Final && m.Wrote && !said:
			open = m.Turn
		case m.Wrote:
			open = -1
		case m.Final && said && open >= 0 && m.Turn > open:
			m.Turn, m.Wrote, open = open, true, -1
		}
	}
	return messages
}

// revertedTurns are the turns of which a later message says, before files are written, that
// it takes the change back.
func revertedTurns(messages []Message) map[int]bool {
	undone, last := map[int]bool{}, -1
	for i, m := range messages {
		if !m.Wrote && last >= 0 && m.Turn > last && isMatch(reverts, m.Text) && isMatch(narrates, m.Text) {
			undone[last] = true
		}
		if m.Wrote && (i+1 == len(messages) || messages[i+1].Turn != m.Turn) {
			last = m.Turn
		}
	}
	return undone
}

func anyOf(set map[int]bool) bool {
	for _, is := range set {
		if is {
			return true
		}
	}
	return false
}

// maxUnit bounds a sentence with those that depend on it, in words.
const maxUnit = 48

// units are the sentences of a message that say something, each with those that depend on it.
func units(text string) (list []string) {
	for _, line := range lines(text) {
		kept := false
		for _, s := range split(line) {
			if cut := opener().ReplaceAllString(s, ""); cut != s {
				s = upper(cut)
			}
			if isChatter(s) {
				kept = false
				continue
			}
			if n := len(list); kept && isMatch(depends, s) && count(list[n-1])+count(s) <= maxUnit {
				list[n-1] += " " + s
				continue
			}
			list, kept = append(list, s), true
		}
	}
	return list
}

// isChatter reports whether a sentence only says what comes next, that checks passed, that
// something is done, or asks the user.
func isChatter(s string) bool {
	return isStatus(s) || isMatch(narrates, s) || isMatch(asks, s) || isMatch(closing, s) || isMatch(aside, s) || isMatch(intro, s) || isMatch(passing, s) && !isMatch(failing, s)
}

// count counts the words of a text. In a script without spaces two characters are a word.
func count(text string) int {
	n := 0
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			n++
		}
	}
	return len(strings.Fields(text)) + n/2
}

func upper(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// intended is what a message says it will do next, as an order; empty: nothing.
func intended(text string) (aim string) {
	for _, line := range lines(text) {
		for _, s := range split(line) {
			if m := intends().FindStringSubmatch(s); m != nil && !isMatch(vague, m[1]) {
				aim = upper(ended(m[1]))
			}
		}
	}
	return aim
}

func read(text string, files []string) sentence {
	return sentence{
		text: text, words: count(text),
		what: isMatch(changes, pending().ReplaceAllString(text, "")), why: isMatch(reasons, text) || isMatch(causes, text), cause: isMatch(causes, text),
		rejects: isMatch(rejected, text), open: isMatch(open, text) && !isMatch(nothing, text), fails: isMatch(fails, text) && !isMatch(mended, text), tests: isMatch(ofTests, text),
		plan: isMatch(plans, text), names: namesAny(text, files),
	}
}

func namesAny(text string, files []string) bool {
	for _, f := range files {
		name := path.Base(f)
		if strings.Contains(text, name) || strings.Contains(text, strings.TrimSuffix(name, path.Ext(name))) {
			return true
		}
	}
	return strings.Contains(hash().ReplaceAllString(text, ""), "`")
}

// weight says how much a sentence adds to what its turn reports.
func (s sentence) weight() int {
	return min(s.words, 30) + points(s.cause, 12) + points(s.rejects || s.open, 8) + points(s.names, 4) - points(s.aims, 20)
}

// leads says how well a sentence says what was done; 0: not at all.
func (s sentence) leads() int {
	if s.aims {
		return 1
	}
	if !s.final && (!s.what || isMatch(process, s.text)) {
		return 0
	}
	n := 2 + points(s.what, 6) + points(s.final, 4) + points(s.names, 1) + points(s.cause, 2) + points(s.first, 1)
	n -= points(s.tests, 4) + points(s.loose, 4) + points(s.plan, 3) + points(s.words < 4, 4) + points(s.words > maxReason, 2)
	return max(n, 0)
}

// explains says how well a sentence says why; 0: not at all.
func (s sentence) explains() int {
	if s.loose || !s.why || s.words < minReason || s.words > maxReason || s.aims || !s.final && !s.diagnosis() || s.final && s.reports && !s.cause {
		return 0
	}
	n := 2 + points(s.cause, 3) + points(s.names, 1) + points(s.reports && s.final, 4)
	n += points(isMatch(fixes, s.text), 3) + points(isMatch(strong, s.text) && !isMatch(answers, s.text), 2)
	return max(n-points(s.plan && !isMatch(fixes, s.text), 3)-points(s.tests, 2)-points(isMatch(passing, s.text), 4), 0)
}

// diagnosis reports whether a sentence that comes before more work says what was wrong, or
// how that is mended, and not what the tools said meanwhile.
func (s sentence) diagnosis() bool {
	switch {
	case isMatch(process, s.text) || isMatch(answers, s.text):
		return false
	case isMatch(fixes, s.text):
		return true
	}
	return !s.wrote && !s.plan && (s.cause || s.rejects) && (isMatch(diagnoses, s.text) || isMatch(strong, s.text))
}

func points(is bool, n int) int {
	if is {
		return n
	}
	return 0
}
