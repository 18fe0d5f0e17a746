package index

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"agentflow/memory"
)

// filter is a memory.Filter as SQL over a chunk c in a file f.
type filter struct {
	conditions []string
	args       []any
}

func filterOf(m memory.Filter) filter {
	var f filter
	if !m.Since.IsZero() {
		f.dated(`>=`, m.Since)
	}
	if !m.Until.IsZero() {
		f.dated(`<`, m.Until)
	}
	if m.Kind != "" {
		f.add(`c.kind = ?`, string(m.Kind))
	}
	f.typed(m.Types)
	if m.Tag != "" {
		f.add(`instr(c.tags, ?) > 0`, joinList([]string{m.Tag}))
	}
	if m.Category != "" {
		f.add(`instr(c.categories, ?) > 0`, joinList([]string{m.Category}))
	}
	if m.MinImportance > 0 {
		f.add(`iif(c.importance > 0, c.importance, ?) >= ?`, memory.PlainImportance, m.MinImportance)
	}
	if p := strings.TrimSuffix(m.Path, "/"); p != "" {
		f.add(`(instr(c.paths, ?) > 0 OR instr(c.paths, ?) > 0 OR f.included AND (f.path = ? OR substr(f.path, 1, ?) = ?))`,
			joinList([]string{p}), []byte("\x00"+p+"/"), p, utf8.RuneCountInString(p)+1, p+"/")
	}
	if m.Branch != "" {
		f.add(`c.branch = ?`, m.Branch)
	}
	return f
}

// typed keeps what holds a fact of one of the types, where there are any.
func (f *filter) typed(types []memory.FactType) {
	if len(types) == 0 {
		return
	}
	var args []any
	for _, t := range types {
		args = append(args, joinList([]memory.FactType{t}))
	}
	f.add(`(instr(c.types, ?) > 0`+strings.Repeat(` OR instr(c.types, ?) > 0`, len(types)-1)+`)`, args...)
}

// dated compares dates with a time. The date of hand-written text is a day,
// stored as its midnight UTC, and begins when the day begins where the time is.
func (f *filter) dated(compare string, t time.Time) {
	_, east := t.Zone()
	f.add(`c.date - iif(c.entry='', ?, 0) `+compare+` ?`, east, ceilUnix(t))
}

// countIn leaves out facts of other namespaces than these, where there are
// any: most indexes have none, and search faster without a filter.
func (f *filter) countIn(s *statements, namespaces []string) {
	all := listOf[string](s, `SELECT DISTINCT ns FROM chunks WHERE ns<>''`)
	if !slices.ContainsFunc(all, func(ns string) bool { return !slices.Contains(namespaces, ns) }) {
		return
	}
	args := []any{""}
	for _, ns := range namespaces {
		args = append(args, ns)
	}
	f.add(`c.ns IN (?`+strings.Repeat(`,?`, len(namespaces))+`)`, args...)
}

func (f *filter) add(condition string, args ...any) {
	f.conditions = append(f.conditions, condition)
	f.args = append(f.args, args...)
}

func (f filter) clone() filter {
	return filter{slices.Clone(f.conditions), slices.Clone(f.args)}
}

func (f *filter) none() bool { return len(f.conditions) == 0 }

func (f *filter) sql() (string, []any) {
	if f.none() {
		return "1", nil
	}
	return "coalesce(" + strings.Join(f.conditions, " AND ") + ", 0)", f.args[:len(f.args):len(f.args)]
}

// withoutUntrusted leaves out what the repository brought, where there is any.
func (f *filter) withoutUntrusted(s *statements) {
	if len(listOf[int](s, `SELECT 1 FROM files WHERE path>='//' AND path<'/0' LIMIT 1`)) > 0 {
		f.add(`substr(f.path, 1, 2) <> '//'`)
	}
}
