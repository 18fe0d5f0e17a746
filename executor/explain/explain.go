// Package explain chooses what an entry says of a run or session: what was done, why, and
// what is left, in the agent's own words. It is pure.
package explain

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Message is something that an agent said.
type Message struct {
	Text  string
	Final bool // it ends a turn: no tool call follows it in the turn
}

// MaxWords bounds a summary.
const MaxWords = 120

// Summary returns the message that explains most of the change, shortened to MaxWords words,
// on one line. Sentences of other messages that name a decision, or what is left, follow
// where there is room. files are the paths that changed.
func Summary(messages []Message, files []string) string {
	best, score := -1, 0
	for i, m := range messages {
		if s := weigh(m, files); s > 0 && s >= score {
			best, score = i, s
		}
	}
	if best < 0 {
		return ""
	}
	kept := fit(sentences(messages[best].Text), MaxWords)
	left := MaxWords - count(kept)
	for i, m := range messages {
		if i == best || !m.Final && i > best {
			continue
		}
		for _, s := range sentences(m.Text) {
			decides := isMatch(rejected, s) || i > best && isMatch(open, s) && !strings.Contains(strings.ToLower(s), "nothing")
			if n := len(strings.Fields(s)); decides && n <= left && n >= minSentence && !slices.Contains(kept, s) {
				kept, left = append(kept, s), left-n
			}
		}
	}
	return strings.Join(kept, " ")
}

// Explains reports whether a summary says more than that something was done: it gives a
// reason, or decides something.
func Explains(summary string) bool {
	return len(strings.Fields(summary)) >= 12 && (isMatch(reasons, summary) || isMatch(rejected, summary) || len(strings.Fields(summary)) >= 40)
}

// minSentence is how many words a sentence of another message has at least.
const minSentence = 4

var (
	reasons  = expression(`because|so that|since|instead|rather than|otherwise|reason|caused?|why|due to|root cause|decided?|chose|kept|keeps?|avoids?|turned out|would have|means that|now`)
	rejected = expression(`instead of|rather than|tried|rejected|ruled out|did(n't| not) (work|help)|decided|chose|kept|not an option|would have|on purpose|deliberately`)
	open     = expression(`not (yet|run|tested|done|covered|implemented)|was(n't| not) (run|tested)|todo|left|remain(s|ing)?|still|follow-up|later|next step|blocked`)
	narrates = lazy(`(?i)^(now |next,? |first,? |ok(ay)?[,.] |good[,.] )?(let me|let's|i'll|i will|i'm going to|i need to|looking|checking|running)\b`)
	closing  = lazy(`(?i)^(all )?(done|committed|pushed|fixed|finished|sure|great|ok(ay)?|perfect|you're welcome)\b`)
	asks     = lazy(`(?i)^(let me know|would you like|do you want|shall i|should i|want me to|if you('d| would)? like|anything else|is there anything|happy to)\b`)
)

func expression(words string) func() *regexp.Regexp {
	return lazy(`(?i)\b(` + words + `)\b`)
}

// lazy compiles an expression when it is used first.
func lazy(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

func isMatch(of func() *regexp.Regexp, text string) bool { return of().MatchString(text) }

// weigh says how much a message explains; 0: nothing.
func weigh(m Message, files []string) int {
	list := sentences(m.Text)
	words := min(count(list), MaxWords)
	if words == 0 {
		return 0
	}
	n := words
	for _, s := range list {
		if isMatch(reasons, s) {
			n += 12
		}
		if isMatch(rejected, s) || isMatch(open, s) {
			n += 8
		}
	}
	for _, f := range files {
		if name := path.Base(f); strings.Contains(m.Text, name) || strings.Contains(m.Text, strings.TrimSuffix(name, path.Ext(name))) {
			n += 10
		}
	}
	if m.Final {
		n = n*2 + 20
	}
	if isMatch(closing, list[0]) && words < 20 {
		n /= 3
	}
	return max(n, 1)
}

// sentences are those of a message that say something: no code, headings, tables, questions
// to the user, or words about what comes next. An item of a list is a sentence.
func sentences(text string) (list []string) {
	for _, block := range blocks(text) {
		for _, s := range split(block) {
			if !isMatch(narrates, s) && !isMatch(asks, s) {
				list = append(list, s)
			}
		}
	}
	return list
}

// blocks are the paragraphs and items of a text, each on one line.
func blocks(text string) (list []string) {
	fence, open := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if mark := line[:min(3, len(line))]; mark == "```" || mark == "~~~" {
			switch fence {
			case "":
				fence = mark
			case mark:
				fence = ""
			}
			open = false
			continue
		}
		item := strings.TrimLeft(line, "-*+ ")
		isItem := item != line && !strings.HasPrefix(line, "**") || numbered().MatchString(line)
		switch {
		case fence != "":
		case line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "|") || strings.Trim(line, "-=*_ ") == "":
			open = false
		case isItem:
			list, open = append(list, ended(numbered().ReplaceAllString(item, ""))), true
		case open:
			list[len(list)-1] = strings.TrimSuffix(list[len(list)-1], ".") + " " + line
		default:
			list, open = append(list, line), true
		}
	}
	return list
}

var numbered = lazy(`^\d{1,2}[.)] `)

// ended is an item with an end, as a sentence has.
func ended(item string) string {
	if item == "" || strings.ContainsAny(item[len(item)-1:], ".:;!?,") {
		return item
	}
	return item + "."
}

var sentenceEnd = lazy(`[.!?]["')\x60*]*\s+`)

// split cuts a line behind its sentences. An abbreviation such as "e.g." does not end one.
func split(line string) (list []string) {
	from := 0
	for _, at := range sentenceEnd().FindAllStringIndex(line, -1) {
		head := line[from:at[0]]
		if next := line[at[1]:]; next == "" || next[0] >= 'a' && next[0] <= 'z' || strings.HasSuffix(head, "e.g") || strings.HasSuffix(head, "i.e") {
			continue
		}
		list = append(list, strings.TrimSpace(line[from:at[1]]))
		from = at[1]
	}
	if rest := strings.TrimSpace(line[from:]); rest != "" {
		list = append(list, rest)
	}
	return list
}

func count(list []string) (n int) {
	for _, s := range list {
		n += len(strings.Fields(s))
	}
	return n
}

// fit keeps as many sentences as there is room for: the first, then those with a reason, a
// decision, or what is left, then the others, in their order.
func fit(list []string, room int) []string {
	keep := make([]bool, len(list))
	take := func(wanted func(i int) bool) {
		for i, s := range list {
			if n := len(strings.Fields(s)); !keep[i] && n <= room && wanted(i) {
				keep[i], room = true, room-n
			}
		}
	}
	take(func(i int) bool { return i == 0 })
	take(func(i int) bool { return isMatch(rejected, list[i]) || isMatch(open, list[i]) })
	take(func(i int) bool { return isMatch(reasons, list[i]) })
	take(func(int) bool { return true })
	var kept []string
	for i, s := range list {
		if keep[i] {
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 && len(list) > 0 { // one sentence that is too long
		kept = []string{strings.Join(strings.Fields(list[0])[:room], " ") + "…"}
	}
	return kept
}
