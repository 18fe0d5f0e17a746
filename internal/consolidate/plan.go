package consolidate

import (
	"bytes"
	"maps"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// maxRounds limits how often the rules are applied. Two rounds are usual: the last one finds
// nothing to do.
const maxRounds = 12

// Plan returns the changes that put memory in order. It takes time nearly linear in the size of
// memory.
func Plan(in Input) Result {
	p := newPlan(in)
	for range maxRounds {
		if !p.round() {
			break
		}
	}
	p.compare()
	more := max(0, len(p.possible)-maxPossible)
	return Result{Edits: p.edits(), Forget: p.forget, Actions: append(p.actions, p.left...), Possible: p.possible[:len(p.possible)-more], More: more, revised: p.revisedFiles}
}

// Unite only plans that facts of one entry are merged with facts that already say the same. If
// an id occurs twice it returns nil, and leaves that to Plan.
func Unite(in Input, entry string) []memory.FileEdit {
	p := newPlan(in)
	p.entry = entry
	p.gather()
	if len(p.roundActions) > 0 {
		return nil
	}
	p.merge()
	after := p.render()
	if len(p.misread(after)) > 0 {
		return nil
	}
	p.take(after)
	return p.edits()
}

func newPlan(in Input) *plan {
	if in.MaxLines == 0 {
		in.MaxLines = LoadedLines
	}
	if in.MaxBytes == 0 {
		in.MaxBytes = LoadedBytes
	}
	files := map[string][]byte{}
	maps.Copy(files, in.Files)
	return &plan{Input: in, files: files, docs: map[string]*markdown.Document{}, scanned: map[string]*scanned{}, untouched: map[string]bool{}, revisedFiles: map[string]bool{}, forms: map[string]string{}}
}

// plan is the state of memory after the rules so far.
type plan struct {
	Input
	files     map[string][]byte             // nil: the file was removed
	docs      map[string]*markdown.Document // see doc
	parsed    int                           // size of their texts, in bytes
	scanned   map[string]*scanned           // of the current files
	untouched map[string]bool               // files that are not changed
	forms     map[string]string             // normal forms by text
	entry     string                        // id of the entry to which merging is limited; empty: all

	revisedFiles map[string]bool // files that rules changed
	months       map[string]bool // months into which days are folded; nil: all

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

// round applies all rules once, except to files that would not read the same afterwards. It
// reports whether anything changed.
func (p *plan) round() bool {
	for {
		p.gather()
		p.merge()
		p.supersede()
		p.retain()
		p.promote()
		after := p.render()
		if bad := p.misread(after); len(bad) > 0 {
			p.leaveAlone(bad)
			continue
		}
		p.Merges = nil
		p.actions = append(p.actions, p.roundActions...)
		p.forget = append(p.forget, p.retired...)
		return p.take(after) || p.fold()
	}
}

func (p *plan) take(after map[string][]byte) (changed bool) {
	for name, text := range after {
		if old, ok := p.files[name]; ok && bytes.Equal(old, text) {
			continue
		}
		p.put(name, text)
		p.revisedFiles[name], changed = true, true
	}
	return changed
}

// put replaces the text of a file; nil removes the file.
func (p *plan) put(name string, text []byte) {
	p.files[name] = text
	delete(p.docs, name)
	delete(p.scanned, name)
}

// names returns the files that hold facts, in order. Files below notes/ belong to agents and
// are never included.
func (p *plan) names() []string {
	var list []string
	for name, text := range p.files {
		if text != nil && name != memory.FeedbackFile && !memory.InNotes(name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// leaveAlone excludes files from the rest of the plan.
func (p *plan) leaveAlone(names []string) {
	for _, name := range names {
		p.untouched[name] = true
		p.actions = append(p.actions, Action{Kind: Left, File: name, Reason: "its Markdown would not read the same after a change"})
	}
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
