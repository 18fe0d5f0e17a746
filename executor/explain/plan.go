package explain

import (
	"path/filepath"
	"slices"
	"strings"
)

// These begin the summary of a session that changed nothing but plans.
const (
	plansChanged = "Only plans changed. "
	onlyPlanned  = "Only planned. "
)

// plannedNext begins the sentence about a plan that was written after the last change.
const plannedNext = "Planned next: "

// IsPlan reports whether a file is a plan: Markdown in a folder of plans.
func IsPlan(file string) bool {
	return strings.HasSuffix(file, ".md") && strings.Contains("/"+filepath.ToSlash(file), "/plans/")
}

// onlyPlans reports whether all changed files are plans.
func onlyPlans(files []string) bool {
	return len(files) > 0 && !slices.ContainsFunc(files, func(f string) bool { return !IsPlan(f) })
}

// hasPlan reports whether a plan is among messages.
func hasPlan(messages []Message) bool {
	return slices.ContainsFunc(messages, func(m Message) bool { return m.Plan })
}

// Limits of what a summary says of a plan, in words: its title, purpose and context, and with its steps.
const maxPurpose, maxPlan = 75, 100

// plan picks the sentences of a plan, if it is all that came out of the work: its title and purpose, and then
// its steps. Of a plan that was written after the last change it picks the title.
func (p *picker) plan(only, acted bool) {
	for i, s := range p.list {
		switch {
		case !s.planned:
		case only && s.step:
			p.take(i, maxPlan)
		case only:
			p.take(i, maxPurpose)
		case !acted && s.first:
			p.list[i].text = plannedNext + s.text
			p.list[i].words += count(plannedNext)
			p.take(i, MaxWords)
		}
	}
}

// purpose picks the cause in a plan's context, if the summary of the work that followed it gives none.
func (p *picker) purpose(limit int) {
	if p.causes() {
		return
	}
	said := terms(p.text())
	for i, s := range p.list {
		if s.planned && !s.first && !s.step && s.reason && s.words <= maxQuoted && share(s.terms, said) >= 0.1 {
			p.takeWhole(i, limit)
			return
		}
	}
}

// withPlan adds the sentences of the plan among messages: before those of the agent if nothing else came out of
// the work, and behind them otherwise.
func (r *reader) withPlan(list []sentence, messages []Message, files []string) []sentence {
	at := slices.IndexFunc(messages, func(m Message) bool { return m.Plan })
	if at < 0 {
		return list
	}
	if len(files) > 0 && !onlyPlans(files) {
		return append(list, r.outlined(messages[at])...)
	}
	plan := r.outlined(messages[at])
	list = slices.DeleteFunc(list, func(s sentence) bool {
		return len(plan) > 1 && !s.asked && !s.commit && s.turn <= messages[at].Turn && !finished().MatchString(s.text)
	})
	from := slices.IndexFunc(list, func(s sentence) bool { return !s.commit })
	return slices.Insert(list, max(0, from), plan...)
}

// finished finds what was done before a plan was complete. The plan has the other thoughts before it, or dropped them.
var finished = lazy(`(?i)\b(is|are|was|were|has been|have been|i've|i) (now )?(add|fix|remov|delet|chang|renam|replac|mov|updat|creat|merg|revert|restor|resolv|mark|clos|open|clear|address|correct|rebas|cherry-pick)ed\b`)

// outlined returns the sentences of a plan: first its title, and last its steps.
func (r *reader) outlined(m Message) (list []sentence) {
	title, purpose, steps := outline(m.Text)
	for n, u := range slices.Concat(title, purpose, steps) {
		s := r.sentence(m, u)
		s.planned, s.first, s.plan, s.result, s.wrote = true, n < len(title), false, false, false
		list = append(list, s)
	}
	return list
}
