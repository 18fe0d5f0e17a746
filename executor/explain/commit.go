package explain

import (
	"cmp"
	"slices"
	"strings"

	"agentflow/memory/trailer"
)

// Commits returns the messages of commits, the longest first, without trailers. A subject is left out if another
// commit has more than that.
func Commits(list []string) (messages []Message) {
	longest := slices.SortedStableFunc(slices.Values(list), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, text := range longest {
		messages = append(messages, Message{Text: withoutTrailers(text), Turn: -1, Commit: true})
	}
	if slices.ContainsFunc(messages, Message.hasBody) {
		messages = slices.DeleteFunc(messages, func(m Message) bool { return !m.hasBody() })
	}
	return messages
}

// withoutTrailers returns a commit's message without its trailers and references. A line that would be one within a
// paragraph continues a sentence: it may be a number or an address.
func withoutTrailers(text string) string {
	var lines []string
	apart := true // from a sentence
	for line := range strings.Lines(text) {
		if left := trailer.Is(line); !left || !apart && !trailer.HasKey(line) {
			lines, apart = append(lines, line), strings.TrimSpace(line) == ""
		}
	}
	return strings.TrimSpace(strings.Join(lines, ""))
}

func (m Message) hasBody() bool { return strings.Contains(m.Text, "\n") }

// message returns the sentences of a commit's message. The first is the subject.
func message(text string) []unit {
	subject, body, _ := strings.Cut(text, "\n")
	return append([]unit{{text: ended(subject)}}, units(body)...)
}

// commits picks sentences of the commits, an equal share of each that has a body, and reports
// whether they explain the change.
func (p *picker) commits(messages []Message) bool {
	n := 0
	for _, m := range messages {
		n += points(m.Commit && m.hasBody(), 1)
	}
	for from := 0; from < len(p.list) && p.list[from].commit; {
		to := from + 1
		for to < len(p.list) && p.list[to].commit && !p.list[to].first {
			to++
		}
		p.commit(from, to, min(maxCommits, p.words+max(maxCommits/max(n, 1), leastOfTopic)))
		from = to
	}
	return Explains(p.text())
}

// subject picks the subject of the last commit if no sentence says what was done.
func (p *picker) subject() {
	last := -1
	for i, s := range p.list {
		if s.commit && s.first {
			last = i
		}
	}
	if last >= 0 && !slices.ContainsFunc(p.order, func(i int) bool { return p.list[i].result || p.list[i].commit }) {
		p.take(last, MaxWords)
	}
}

// commit picks sentences of a commit's body. If none of them says what changed, the subject,
// which is the first sentence, comes before them.
func (p *picker) commit(subject, to, limit int) {
	body := picker{p.list, slices.Clone(p.order), p.words}
	body.body(subject+1, to, limit)
	if slices.ContainsFunc(body.order[len(p.order):], func(i int) bool { return changes().MatchString(p.list[i].text) }) {
		*p = body
		return
	}
	p.take(subject, limit)
	p.body(subject+1, to, limit)
}

// body picks sentences of a commit's body: first those that begin a paragraph, then reasons and
// changes.
func (p *picker) body(from, to, limit int) {
	var order []int
	for i := from; i < to; i++ {
		order = append(order, i)
	}
	rank := func(i int) int {
		s := p.list[i]
		if s.nth > 1 && (s.cause || changes().MatchString(s.text)) {
			return 1
		}
		return s.nth + points(s.test, 1)
	}
	slices.SortStableFunc(order, func(a, b int) int { return rank(a) - rank(b) })
	for _, i := range order {
		p.take(i, limit)
	}
}

// changes finds sentences that say what changed.
var changes = lazy(`^(Add|Allow|Attach|Batch|Bump|Cache|Carry|Buffer|Change|Check|Clean|Clear|Convert|Cover|Create|Defer|Delete|Disable|Document|Drop|Emit|Enable|Expose|Extend|Extract|Fix|Gate|Group|Handle|Implement|Include|Inline|Introduce|Keep|Make|Mark|Merge|Move|Normalize|Parse|Pass|Pin|Prefer|Print|Reject|Remove|Rename|Replace|Report|Restore|Return|Revert|Rewrite|Route|Set|Share|Show|Simplify|Skip|Split|Stop|Store|Surface|Switch|Track|Treat|Turn|Update|Use|Validate|Wire|Wrap|Write)(s|es)?\b|(?i)\b(now|no longer|with this|this (change|commit))\b`)
