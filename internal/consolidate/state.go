package consolidate

import (
	"slices"

	"agentflow/memory"
)

// plan is the state of memory after the rules so far.
type plan struct {
	Input
	folder  *folder
	ranking ranking
	forms   map[string]string // normal forms by text
	entry   string            // id of the entry to which merging is limited; empty: all

	actions []Action
	forget  []string

	// Of the current round:
	facts        []*fact // those that rules may change
	at           map[place]*fact
	doubles      map[block]bool // entries that occur twice
	roundActions []Action
	left         []Action // actions that were not done, and why
	possible     []Possible
	retired      []string
}

func newPlan(in Input) *plan {
	if in.MaxLines == 0 {
		in.MaxLines = LoadedLines
	}
	if in.MaxBytes == 0 {
		in.MaxBytes = LoadedBytes
	}
	return &plan{Input: in, folder: newFolder(in.Files), ranking: ranking{in.Now, in.Options}, forms: map[string]string{}}
}

// grouped groups facts by a key. It returns the keys in the order of their first facts, and the
// facts of each.
func grouped[K comparable](list []*fact, key func(*fact) K) (order []K, groups map[K][]*fact) {
	groups = map[K][]*fact{}
	for _, f := range list {
		k := key(f)
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], f)
	}
	return order, groups
}

// live returns the facts that stay, hold and have words.
func (p *plan) live() []*fact {
	return slices.DeleteFunc(slices.Clone(p.facts), func(f *fact) bool { return f.form == "" || !f.remains() || !f.Live(p.Now) })
}

func (p *plan) form(text string) string {
	form, ok := p.forms[text]
	if !ok {
		form = memory.Same(text)
		p.forms[text] = form
	}
	return form
}

func (p *plan) addAction(a Action) { p.roundActions = append(p.roundActions, a) }

func (p *plan) noteLeft(a Action) {
	a.Kind = Left
	p.left = append(p.left, a)
}

// act records an action on a fact.
func (p *plan) act(kind Kind, f *fact, reason string) *Action {
	p.addAction(Action{Kind: kind, ID: f.ID, File: f.file, Text: f.line(), Reason: reason})
	return &p.roundActions[len(p.roundActions)-1]
}

// suspect lists facts that may contradict each other or say the same.
func (p *plan) suspect(kind PossibleKind, reason string, list ...*fact) {
	s := Possible{Kind: kind, Reason: reason}
	for _, f := range list {
		s.IDs, s.Texts = append(s.IDs, f.ID), append(s.Texts, f.line())
	}
	p.possible = append(p.possible, s)
}

type within struct{ namespace, form string }
