// Package explain chooses what an entry says about a run or session: what was done, why, and
// the remaining work, in the agent's own words. It is pure.
//
// A summary has whole sentences, at most 120 words. Its rules, in their order:
//
//  1. Take back: statements that a later message withdraws do not count (reader.withdraw), nor do
//     options, proposals and examples (withoutOffers), nor what the person disputed, rolled back or
//     asked to change, nor how a function was that a later turn changed. A problem that the agent found before the last edits begins with "Before:"
//     (reader.overtake).
//  2. Commits: each commit's message gets a share of the words (picker.commits).
//  3. The answer to the first prompt, if it is a question for which nothing was written: its
//     verdict and its first statement (picker.answer).
//     Then the conclusion of the turns since the last change (picker.talk).
//  4. Topics: each turn that wrote files gets a share, the last turn first. It is used for the
//     sentence that best says what was done and the one that best says why (picker.topic). If
//     commits explain the change, only news counts. A turn that did not say what it did is
//     described by the changes that it announced and made (picker.steps). If the last turn reports
//     many results, it gets more room, since they may be of the whole work (picker.recap). Words of
//     the turn's prompt make a sentence better (sentence.what).
//  5. Drop what a turn did if a later turn did it differently (picker.dropOvertaken).
//  6. The remaining work (picker.remaining), and what became of the whole (picker.delivered).
//  7. Conclusions of turns that wrote no files (picker.talk).
//  8. The cause that was found before the edits, if there is none yet (picker.found); further
//     details, if commits explain nothing; further reasons (picker.fill).
//  9. The user's words, if none of it gives a cause (picker.request).
//
// A sentence about the one before it needs that one (sentence.refers). If only a plan came out of the work, the
// summary says so first, and then what the plan is for and its steps (picker.plan). Otherwise the plan gives the
// cause if nothing else does (picker.purpose). If nothing explains anything, it uses the last commit's
// subject. A turn without an answer, for example an interrupted one, is described by its last
// messages (answered).
package explain

import (
	"slices"
	"strings"
)

// Summary returns the messages' explanation of a change, in whole sentences, on one line and
// in at most MaxWords words. First are the sentences of commits, then for each turn that wrote
// files what was done and why, then the remaining work. If none of them gives a cause, a
// person's words that give one come first, or last if commits give a reason. files are the
// changed paths.
func Summary(messages []Message, files []string) string {
	mark := markOf(messages, files)
	text := summary(messages, files, mark)
	if text == "" {
		return ""
	}
	return mark + text
}

func summary(messages []Message, files []string, mark string) string {
	p := &picker{list: parse(messages, files), words: count(mark)}
	explained := p.commits(messages)
	p.plan(mark != "", slices.ContainsFunc(messages, func(m Message) bool { return m.Plan && m.Acted }))
	reasoned := reasons().MatchString(p.text())
	asked, planned := p.request(files, explained)
	begun := picker{p.list, slices.Clone(p.order), p.words}
	begun.choose(explained, MaxWords)
	p.choose(explained, MaxWords-1-count(asked))
	if asked == "" || (begun.causes() || p.causes()) && (!planned || share(terms(asked), terms(begun.text())) >= 0.6) {
		begun.subject()
		return begun.orBeginning()
	}
	quote := `Asked: "` + asked + `"`
	if reasoned {
		return ended(p.text()) + " " + quote
	}
	return strings.TrimSpace(quote + " " + p.text())
}

// orBeginning returns the summary, or else the beginning of the agent's first sentence.
func (p *picker) orBeginning() string {
	first := slices.IndexFunc(p.list, func(s sentence) bool { return !s.asked && !s.before })
	if len(p.order) > 0 || first < 0 {
		return p.text()
	}
	words := strings.Fields(p.list[first].text)
	if len(words) <= MaxWords {
		return p.list[first].text
	}
	return strings.Join(words[:MaxWords], " ") + "…"
}
