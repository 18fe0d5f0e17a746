package postgres

import (
	"fmt"
	"strings"
	"time"

	"agentflow/index/store"
	"agentflow/memory"
)

// filter is a store.Filter as SQL over a chunk c in a file f. Conditions are
// written with '?' for each argument. The arguments are numbered after those
// passed to filterOf.
type filter struct {
	conditions []string
	args       []any
}

func filterOf(m store.Filter, before ...any) filter {
	f := filter{args: before}
	f.within(m.Since, m.Until)
	if m.Period != nil {
		f.within(m.Period.From, m.Period.To)
	}
	if m.Kind != "" {
		f.add(`c.kind = ?`, string(m.Kind))
	}
	if len(m.Types) > 0 {
		f.add(`c.types && ?::text[]`, cleaned(m.Types))
	}
	if len(m.Tags) > 0 {
		f.add(`c.tags @> ?::text[]`, cleaned(m.Tags))
	}
	if m.Category != "" {
		f.add(`? = ANY(c.categories)`, m.Category)
	}
	if m.MinImportance > 0 {
		f.add(`CASE WHEN c.importance > 0 THEN c.importance ELSE ? END >= ?`, memory.PlainImportance, m.MinImportance)
	}
	if p := strings.TrimSuffix(m.Path, "/"); p != "" {
		f.add(`(EXISTS (SELECT 1 FROM unnest(c.paths) p WHERE p = ? OR starts_with(p, ?)) OR f.included AND (f.path = ? OR starts_with(f.path, ?)))`, p, p+"/", p, p+"/")
	}
	if m.Branch != "" {
		f.add(`c.branch = ?`, m.Branch)
	}
	if m.Filter.Namespace != "" {
		f.add(`c.ns = ?`, m.Filter.Namespace)
	}
	if m.Commit != "" {
		f.add(`EXISTS (SELECT 1 FROM unnest(c.commits) k WHERE starts_with(k, ?))`, m.Commit)
	}
	if m.Own {
		f.add(`NOT starts_with(f.path, '//')`)
	}
	if m.Namespaced {
		f.add(`c.ns = ANY(?::text[])`, cleaned(append([]string{""}, m.Namespaces...)))
	}
	return f
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
	f.add(`c.date - CASE WHEN c.entry='' THEN ?::bigint ELSE 0 END `+compare+` ?`, int64(east), store.CeilUnix(t))
}

func (f *filter) add(condition string, args ...any) {
	for _, a := range args {
		if text, ok := a.(string); ok {
			a = clean(text) // the text may come from any client
		}
		f.args = append(f.args, a)
		condition = strings.Replace(condition, "?", fmt.Sprintf("$%d", len(f.args)), 1)
	}
	f.conditions = append(f.conditions, condition)
}

func (f *filter) sql() string {
	if len(f.conditions) == 0 {
		return "true"
	}
	return "coalesce(" + strings.Join(f.conditions, " AND ") + ", false)"
}
