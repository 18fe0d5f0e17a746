package sqlite

import (
	"strings"
	"time"
	"unicode/utf8"

	"agentflow/index/store"
	"agentflow/memory"
)

// filter is a store.Filter as SQL over a chunk c in a file f.
type filter struct {
	conditions []string
	args       []any
}

func filterOf(m store.Filter) filter {
	var f filter
	f.within(m.Since, m.Until)
	if m.Period != nil {
		f.within(m.Period.From, m.Period.To)
	}
	if m.Kind != "" {
		f.add(`c.kind = ?`, string(m.Kind))
	}
	f.typed(m.Types)
	for _, tag := range m.Tags {
		f.add(`instr(c.tags, ?) > 0`, store.JoinList([]string{tag}))
	}
	if m.Category != "" {
		f.add(`instr(c.categories, ?) > 0`, store.JoinList([]string{m.Category}))
	}
	if m.MinImportance > 0 {
		f.add(`iif(c.importance > 0, c.importance, ?) >= ?`, memory.PlainImportance, m.MinImportance)
	}
	if p := strings.TrimSuffix(m.Path, "/"); p != "" {
		f.add(`(instr(c.paths, ?) > 0 OR instr(c.paths, ?) > 0 OR f.included AND (f.path = ? OR substr(f.path, 1, ?) = ?))`,
			store.JoinList([]string{p}), []byte("\x00"+p+"/"), p, utf8.RuneCountInString(p)+1, p+"/")
	}
	if m.Branch != "" {
		f.add(`c.branch = ?`, m.Branch)
	}
	if m.Filter.Namespace != "" {
		f.add(`c.ns = ?`, m.Filter.Namespace)
	}
	if m.Commit != "" {
		f.add(`instr(c.commits, ?) > 0`, []byte("\x00"+m.Commit))
	}
	if m.Own {
		f.add(`substr(f.path, 1, 2) <> '//'`)
	}
	if m.Namespaced {
		f.in(`c.ns`, append([]string{""}, m.Namespaces...))
	}
	return f
}

// typed keeps chunks that hold a fact of one of the types, if any are given.
func (f *filter) typed(types []memory.FactType) {
	if len(types) == 0 {
		return
	}
	var args []any
	for _, t := range types {
		args = append(args, store.JoinList([]memory.FactType{t}))
	}
	f.add(`(instr(c.types, ?) > 0`+strings.Repeat(` OR instr(c.types, ?) > 0`, len(types)-1)+`)`, args...)
}

// within keeps chunks of a period; a zero time means no limit.
func (f *filter) within(since, until time.Time) {
	if !since.IsZero() {
		f.dated(`>=`, since)
	}
	if !until.IsZero() {
		f.dated(`<`, until)
	}
}

// dated compares dates with a time. The date of hand-written text is a day,
// stored as midnight UTC; the day is taken to begin at midnight in the time
// zone of t.
func (f *filter) dated(compare string, t time.Time) {
	_, east := t.Zone()
	f.add(`c.date - iif(c.entry='', ?, 0) `+compare+` ?`, east, store.CeilUnix(t))
}

func (f *filter) in(column string, values []string) {
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	f.add(column+` IN (?`+strings.Repeat(`,?`, len(values)-1)+`)`, args...)
}

func (f *filter) add(condition string, args ...any) {
	f.conditions = append(f.conditions, condition)
	f.args = append(f.args, args...)
}

func (f filter) none() bool { return len(f.conditions) == 0 }

func (f filter) sql() (string, []any) {
	if f.none() {
		return "1", nil
	}
	return "coalesce(" + strings.Join(f.conditions, " AND ") + ", 0)", f.args[:len(f.args):len(f.args)]
}
