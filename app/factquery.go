package app

import (
	"slices"
	"strings"
	"time"

	"agentflow/memory"

	"github.com/spf13/cobra"
)

// factFilter are the flags that choose among facts.
type factFilter struct {
	factType, tag, key, category, namespace, source, since, until, minImportance string
	struck, expired, all                                                         bool
}

func (o *factFilter) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.factType, "type", "", "only of this `type`: semantic, episodic or procedural")
	flags.StringVar(&o.tag, "tag", "", "only with this `tag`")
	flags.StringVar(&o.key, "key", "", "only with this `key`")
	flags.StringVar(&o.category, "category", "", "only of this `category`")
	flags.StringVar(&o.namespace, "namespace", "", "only of this `namespace`: project, branch (the current one), branch/NAME, run/ID or global")
	flags.StringVar(&o.source, "source", "", "only from this `source`: hand, the id of a run, or what it was imported from")
	flags.StringVar(&o.since, "since", "", "only from this `date` on (2026-11-21, or 7d for the last week)")
	flags.StringVar(&o.until, "until", "", "only before this `date`")
	flags.StringVar(&o.minImportance, "min-importance", "", "only from this `importance` on, 0 to 1")
	flags.BoolVar(&o.struck, "struck", false, "only what is struck")
	flags.BoolVar(&o.expired, "expired", false, "only what has expired")
	flags.BoolVar(&o.all, "all", false, "what is struck and what has expired too")
	complete(cmd, "type", FactTypes...)
	completeNamespace(cmd)
	exclusive(cmd, "struck", "expired", "all")
}

// factQuery is what facts are chosen by; what is empty lets all pass.
type factQuery struct {
	words                                       []string // all are to be found, whatever their case
	factType, tag, key, category, source, state string
	namespace                                   *string // nil: every one
	since, until                                time.Time
	minImportance                               float64
	now                                         time.Time
}

// query checks the flags.
func (o *factFilter) query(words []string, now time.Time) (q factQuery, err error) {
	q = factQuery{words: strings.Fields(strings.ToLower(strings.Join(words, " "))), factType: o.factType, tag: o.tag,
		key: o.key, category: o.category, source: o.source, now: now}
	switch {
	case o.all:
		q.state = "all"
	case o.struck:
		q.state = "struck"
	case o.expired:
		q.state = "expired"
	}
	if err := oneOf("type", o.factType, FactTypes...); err != nil {
		return q, err
	}
	if q.since, err = parseWhen("since", o.since, now); err != nil {
		return q, err
	}
	if q.until, err = parseWhen("until", o.until, now); err != nil {
		return q, err
	}
	if q.minImportance, err = parseShare(o.minImportance); err != nil {
		return q, usagef("--min-importance: %w", err)
	}
	q.namespace, err = namespaceFlag(o.namespace)
	return q, err
}

// wants says whether a fact is one of those asked for.
func (q factQuery) wants(k storedFact) bool {
	is := func(want, have string) bool { return want == "" || want == have }
	expired := !k.Struck && !k.Live(q.now)
	switch q.state {
	case "struck":
		if !k.Struck {
			return false
		}
	case "expired":
		if !expired {
			return false
		}
	case "":
		if k.Struck || expired {
			return false
		}
	}
	at, text := k.created(), strings.ToLower(k.Text)
	return is(q.factType, string(k.Type)) && is(q.key, k.Key) && is(q.category, k.Category) &&
		(q.tag == "" || slices.Contains(k.Tags, q.tag)) &&
		(q.source == "" || q.source == k.Source || endOfID(k.Source, q.source)) &&
		(q.namespace == nil || inNamespace(k.Namespace, *q.namespace)) &&
		k.Importance >= q.minImportance && !at.Before(q.since) && (q.until.IsZero() || at.Before(q.until)) &&
		!slices.ContainsFunc(q.words, func(word string) bool { return !strings.Contains(text, word) })
}

// endOfID says whether what was typed is the end of an id, long enough to
// name it.
func endOfID(id, typed string) bool {
	return len(typed) >= 4 && len(id) == fullID && strings.HasSuffix(id, strings.ToLower(typed))
}

func inNamespace(have, want string) bool {
	run, ofRun := runOf(have)
	typed, asked := runOf(want)
	return have == want || ofRun && asked && endOfID(run, typed)
}

// runOf is the id of the run that a namespace is of.
func runOf(ns string) (string, bool) { return strings.CutPrefix(ns, memory.RunNamespace) }
