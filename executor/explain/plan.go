package explain

import (
	"path/filepath"
	"slices"
	"strings"
)

// These begin the summary of a session of which nothing but plans is known. They claim nothing of other files, because
// their changes may be unknown.
const (
	plansChanged = "Plans changed. "
	onlyPlanned  = "Planned: "
)

// WithoutMark returns a summary without the words that say that it is about plans, and whether it begins with them.
func WithoutMark(summary string) (rest string, planned bool) {
	for _, mark := range []string{onlyPlanned, plansChanged} {
		if rest, planned = strings.CutPrefix(summary, mark); planned {
			return rest, true
		}
	}
	return summary, false
}

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

// markOf returns what begins the summary of messages: "" if more than a plan came out of the work, or may have.
func markOf(messages []Message, files []string) string {
	plan := slices.IndexFunc(messages, func(m Message) bool { return m.Plan })
	worked := slices.ContainsFunc(messages, func(m Message) bool { return m.Wrote || m.Acted || m.Commit })
	switch {
	case onlyPlans(files) && (plan < 0 || !messages[plan].Acted):
		return plansChanged
	case plan >= 0 && len(files) == 0 && !worked:
		return onlyPlanned
	}
	return ""
}

// maxPlan limits what a summary says of a plan, and of the work before it, in words.
const maxPlan = 110

// plan picks sentences of a plan, if no file but plans came out of the work: its title, the sentence that says what
// to do, its steps, what was finished before it, and as much of the reason as fits. Of a plan that was written after
// the last change it picks the title.
func (p *picker) plan(only, acted bool) {
	first := slices.IndexFunc(p.list, func(s sentence) bool { return s.planned })
	if first < 0 || !only && acted {
		return
	}
	if !only {
		if s := &p.list[first]; s.first {
			s.text, s.words = plannedNext+s.text, s.words+count(plannedNext)
			p.take(first, MaxWords)
		}
		return
	}
	for _, counts := range []func(sentence) bool{
		func(s sentence) bool { return s.planned && (s.first || s.step) },
		func(s sentence) bool { return s.planned && intends().MatchString(s.text) },
		func(s sentence) bool {
			return !s.planned && !s.asked && s.final && !s.beyond && finished().MatchString(s.text)
		},
		func(s sentence) bool { return s.planned && s.cause },
		func(s sentence) bool { return s.planned },
	} {
		for i, s := range p.list {
			if counts(s) {
				p.take(i, maxPlan)
			}
		}
	}
}

// intends finds the sentence of a plan that says what to do.
var intends = lazy(`(?i)\b(the (fix|solution|approach|plan|goal|idea|change) (is|introduces|adds|persists|replaces|will)|this plan|(we|i) (will|need to|should|can)|so that .* can)\b`)

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
	plan := r.outlined(messages[at])
	if markOf(messages, files) == "" {
		return append(list, plan...)
	}
	list = slices.DeleteFunc(list, func(s sentence) bool {
		return len(plan) > 1 && !s.asked && !s.commit && !s.beyond && !finished().MatchString(s.text)
	})
	from := slices.IndexFunc(list, func(s sentence) bool { return !s.commit })
	if from < 0 {
		from = len(list)
	}
	return slices.Insert(list, from, plan...)
}

// finished finds what was done before a plan was complete. The plan has the other thoughts before it, or dropped them.
var finished = lazy(`(?i)\b((has|have) been (now )?\w+ed\b|i've (now )?(add|fix|remov|delet|chang|renam|replac|mov|updat|creat|merg|revert|restor|resolv|mark|clos|open|clear|address|correct|rebas)ed\b|(is|are) (now )?(marked|closed|merged|resolved)\b)`)

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
