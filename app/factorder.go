package app

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// factOrder are the flags that say in which order facts are listed.
type factOrder struct {
	by      string
	reverse bool
}

// factOrders compare two facts: first the newest, the most important, the most
// used, and
// names by the alphabet with the empty one last.
var factOrders = map[string]func(a, b storedFact) int{
	"created":    func(a, b storedFact) int { return b.created().Compare(a.created()) },
	"updated":    func(a, b storedFact) int { return b.updated().Compare(a.updated()) },
	"importance": func(a, b storedFact) int { return cmp.Compare(b.Importance, a.Importance) },
	"uses": func(a, b storedFact) int {
		return cmp.Or(cmp.Compare(b.used.Count(), a.used.Count()), b.used.Last.Compare(a.used.Last))
	},
	"namespace": func(a, b storedFact) int { return strings.Compare(a.Namespace, b.Namespace) },
	"key": func(a, b storedFact) int {
		if (a.Key == "") != (b.Key == "") {
			return strings.Compare(b.Key, a.Key)
		}
		return strings.Compare(a.Key, b.Key)
	},
}

var factOrderNames = []string{"created", "updated", "importance", "namespace", "key", "uses"}

func (o *factOrder) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.by, "sort", "created", "`by` created, updated, importance, namespace, key or uses")
	cmd.Flags().BoolVar(&o.reverse, "reverse", false, "the other way round")
	complete(cmd, "sort", factOrderNames...)
}

func (o *factOrder) check() error { return oneOf("sort", o.by, factOrderNames...) }

// sort keeps the order in which equal ones stand.
func (o *factOrder) sort(list []storedFact) {
	compare := factOrders[cmp.Or(o.by, "created")]
	slices.SortStableFunc(list, compare)
	if o.reverse {
		slices.Reverse(list)
	}
}
