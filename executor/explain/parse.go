package explain

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// reader turns messages into sentences. Its list has those that hold after the messages so far.
type reader struct {
	names      []string // of the changed files
	tests      bool     // only tests changed
	byCommands bool     // no tool wrote files, so commands may have
	planning   bool     // only plans changed
	list       []sentence
	question   bool       // the last prompt is one
	request    sentence   // the terms of the last prompt
	step       sentence   // the change that a message of the turn announced and did not make
	revised    []int      // the turns that begin with a prompt to change what was done
	objected   []int      // the turns behind which the person asked for another way
	disputed   []sentence // the beginnings of prompts that dispute the turn before them
	pastPlan   bool       // the plan has been read
	wrote      int        // the turn that wrote files last; -1: none did
}

// parse returns the sentences of messages that hold in the end.
func parse(messages []Message, files []string) []sentence {
	r := reader{wrote: -1, tests: true, planning: onlyPlans(files), byCommands: !slices.ContainsFunc(messages, func(m Message) bool { return m.Wrote })}
	for _, f := range files {
		r.names = append(r.names, path.Base(f), strings.TrimSuffix(path.Base(f), path.Ext(f)))
		r.tests = r.tests && strings.Contains(f, "test")
	}
	said := answered(messages)
	for at, m := range said {
		continues := m.Asked && r.request.terms != nil && r.request.turn == m.Turn
		if m.Asked {
			r.note(m, continues)
		}
		answers := r.question && m.Final && !m.Wrote
		m.Wrote = m.Wrote || r.byCommands && (m.Final || m.open) && !m.Commit
		if m.Plan {
			r.pastPlan = true
			continue
		}
		r.withdraw(m, continues)
		if m.Wrote {
			r.wrote = m.Turn
		}
		if !m.Asked && !m.Commit {
			m = r.planned(m)
		}
		units, context := m.units()
		for n, u := range units {
			s := r.sentence(m, u)
			s.context, s.first, s.answer, s.last = context, n == 0, answers, m.Final || at == len(said)-1
			s.beyond = r.pastPlan
			r.list = append(r.list, s)
		}
		if m.Acted {
			r.wrote = m.Turn
		}
	}
	r.pass()
	if len(files) > 0 && !r.byCommands {
		r.overtake()
	}
	return r.withPlan(withoutTakenBack(r.unreported()), messages, files)
}

// note notes what a prompt asks for, and whether it objects to the turn before it. One that continues a turn
// does not.
func (r *reader) note(m Message, continues bool) {
	r.question = question().MatchString(m.Text)
	r.request = sentence{turn: m.Turn, terms: terms(m.Text)}
	if continues {
		return
	}
	if objects().MatchString(m.Text) {
		r.objected = append(r.objected, m.Turn-1)
	}
	if revises().MatchString(m.Text) && count(m.Text) <= maxRetraction {
		r.revised = append(r.revised, m.Turn)
	}
	if disputes().MatchString(m.Text) && count(m.Text) <= maxRetraction {
		r.disputed = append(r.disputed, sentence{turn: m.Turn, terms: terms(m.Text)})
	}
}

// planned notes the change that a message announces. A later one of its turn that only says "Make the change." before
// it makes it is about that change.
func (r *reader) planned(m Message) Message {
	step := announced(m.Text)
	if m.Acted && step != "" && isVague(step) && r.step.turn == m.Turn && r.step.text != "" {
		m.step = r.step.text
	}
	if m.Acted || r.step.turn != m.Turn {
		r.step = sentence{turn: m.Turn}
	}
	if !m.Acted && step != "" && !isVague(step) {
		r.step.text = step
	}
	return m
}

// unreported marks the sentences of turns that do not end with a report.
func (r *reader) unreported() []sentence {
	reports := map[int]bool{}
	for _, s := range r.list {
		reports[s.turn] = reports[s.turn] || s.final && !s.open && !s.asked && (s.result || s.names > 0)
	}
	for i := range r.list {
		r.list[i].unreported = !reports[r.list[i].turn]
	}
	return r.list
}

// sentence classifies a sentence of a message.
func (r *reader) sentence(m Message, u unit) sentence {
	text, lower := u.text, strings.ToLower(u.text)
	s := sentence{
		text: text, nth: u.nth, terms: terms(text), words: count(text),
		turn: m.Turn, final: m.Final || m.open, open: m.open, wrote: m.Wrote || u.step, commit: m.Commit, asked: m.Asked, after: r.wrote >= 0,
		step: u.step, loose: !m.Commit && loose().MatchString(text), delivered: delivers().MatchString(text), result: u.step || results().MatchString(passive().ReplaceAllString(text, "")), reason: reasons().MatchString(text), cause: causes().MatchString(text) || m.Asked && needs().MatchString(text),
		plan: !r.planning && plans().MatchString(text) && !verdict().MatchString(text), fault: faults().MatchString(text), pending: pending().MatchString(text), left: count(text) > 3 && open().MatchString(text),
		back: strings.Contains(lower, "reverted"), test: !r.tests && strings.Contains(lower, "test"), names: strings.Count(text, "`") / 2,
	}
	if !m.Asked && !m.Commit && r.request.turn == m.Turn {
		for term := range s.terms {
			s.asks += points(r.request.terms[term], 1)
		}
	}
	for _, name := range r.names {
		s.names += points(strings.Contains(text, name), 1)
	}
	return s
}

// withdraw drops sentences that a message takes back: the agent's change that it reverts, the
// agent's statement that the person rejects, and the change that the person asks to take back. A prompt that
// continues a turn rejects what the agent was about to do in it, and no statement.
func (r *reader) withdraw(m Message, continues bool) {
	if !m.Wrote && m.Turn > r.wrote && undoes(m.Text) {
		r.drop(func(s sentence) bool { return s.turn == r.wrote && s.final })
	}
	if !m.Asked {
		return
	}
	if takesBack().MatchString(m.Text) && !keeps().MatchString(m.Text) && count(m.Text) <= maxRetraction {
		r.drop(func(s sentence) bool { return s.turn == r.wrote && !s.asked && !s.commit && (s.result || s.step) })
	}
	said := func(s sentence) bool { return s.turn == m.Turn-1 && !s.asked && !s.commit }
	if !continues && rejects().MatchString(m.Text) {
		r.drop(func(s sentence) bool { return said(s) && !s.wrote })
	}
	if retracts().MatchString(m.Text) && count(m.Text) <= maxRetraction {
		named := terms(retracts().ReplaceAllString(m.Text, ""))
		r.drop(func(s sentence) bool { return said(s) && s.wrote && s.result && share(s.terms, named) > 0 })
	}
}

func (r *reader) drop(from func(sentence) bool) { r.list = slices.DeleteFunc(r.list, from) }

// maxRetraction is the length of a prompt that may take back the change before it, in words.
const maxRetraction = 40

// maxOpen is the number of messages that count as the answer of a turn without one.
const maxOpen = 3

// answered marks the last messages of each turn that did not end with one, because they are the
// only words about its result.
func answered(messages []Message) []Message {
	list, left := slices.Clone(messages), map[int]int{}
	for i := len(list) - 1; i >= 0; i-- {
		m := &list[i]
		n, seen := left[m.Turn]
		if m.Asked || m.Commit || m.Plan || seen && n == 0 || len(units(m.Text)) == 0 {
			continue
		}
		if !seen && !m.Final {
			n = maxOpen
		}
		left[m.Turn], m.open = max(0, n-1), n > 0
	}
	return list
}

// units returns the sentences of a message. Of a plan they are its context.
func (m Message) units() (list []unit, context bool) {
	text := m.Text
	if m.Commit {
		return message(text), false
	}
	if context = m.Asked && contexts().MatchString(text); context {
		text, _, _ = strings.Cut(contexts().Split(text, 2)[1], "\n#")
	}
	if !m.Asked {
		return statements(m), false
	}
	list = units(text)
	return list[:min(len(list), maxAsked)], context
}

// undoes reports whether a message says that its turn reverts an earlier change.
func undoes(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "revert my change") || strings.Contains(text, "undo my change")
}

// statements returns the sentences of an answer. The items of a question, and those of an answer
// that ends with a choice for the person, are no statements.
func statements(m Message) []unit {
	all := withoutThoughts(blocks(m.Text))
	n := len(all)
	asks := false
	chooses := n > 0 && !m.Wrote && choice().MatchString(all[n-1].text)
	list := sentences(slices.DeleteFunc(all, func(b block) bool {
		if !b.item {
			asks = strings.HasSuffix(strings.TrimRight(b.text, ": "), "?")
		}
		return b.item && (asks || chooses)
	}))
	if step := cmp.Or(m.step, announced(m.Text)); m.Acted && step != "" {
		list = append(list, unit{text: step, step: true})
	}
	return list
}
