package app

import (
	"cmp"
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/uses"
)

// FactOrder is a sort order of facts: the newest, the most important or the most used first, or by name in alphabetical
// order with the empty name last. Equal facts are sorted by age, newest first.
type FactOrder string

// FactOrders lists the orders. The first one is the default.
var FactOrders = []FactOrder{"created", "updated", "importance", "namespace", "key", "uses"}

var factOrders = map[FactOrder]func(a, b *storedFact) int{
	"created":    byCreated,
	"updated":    func(a, b *storedFact) int { return b.updated().Compare(a.updated()) },
	"importance": func(a, b *storedFact) int { return cmp.Compare(b.Importance, a.Importance) },
	"uses": func(a, b *storedFact) int {
		return cmp.Or(cmp.Compare(b.used.Count(), a.used.Count()), b.used.Last.Compare(a.used.Last))
	},
	"namespace": func(a, b *storedFact) int { return strings.Compare(a.Namespace, b.Namespace) },
	"key": func(a, b *storedFact) int {
		if (a.Key == "") != (b.Key == "") {
			return strings.Compare(b.Key, a.Key)
		}
		return strings.Compare(a.Key, b.Key)
	},
}

func byCreated(a, b *storedFact) int { return b.created().Compare(a.created()) }

// compareFacts returns a total order of facts. No two facts are equal in it, so a page can begin after any fact.
func compareFacts(by FactOrder, reverse bool) func(a, b *storedFact) int {
	return func(a, b *storedFact) int {
		c := cmp.Or(factOrders[by](a, b), byCreated(a, b), strings.Compare(b.ID, a.ID))
		if c == 0 && a.ID == "" {
			c = cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.StartLine, b.StartLine))
		}
		if reverse {
			return -c
		}
		return c
	}
}

// sortFacts sorts pointers, because facts are large.
func sortFacts(list []*storedFact, by FactOrder, reverse bool) {
	slices.SortFunc(list, compareFacts(by, reverse))
}

// order identifies the list to which a cursor belongs.
func (req *ListRequest) order() string {
	if req.Reverse {
		return "facts -" + string(req.Sort)
	}
	return "facts " + string(req.Sort)
}

// cursorOf returns the cursor that continues after a fact.
func (req *ListRequest) cursorOf(k *storedFact) cursor {
	c := cursor{List: req.order(), ID: k.ID, Time: k.created(), Updated: k.updated(), Importance: k.Importance,
		Namespace: k.Namespace, Key: k.Key, Uses: k.used.Count(), LastUse: k.used.Last, File: k.File, Line: k.StartLine}
	if k.ID == "" {
		c.Text = memory.TextID(k.Text)
	}
	return c
}

// behind returns a function that counts the facts of a sorted list up to the place of the request's cursor. It returns
// nil without a cursor.
func (req *ListRequest) behind() (func(list []*storedFact) int, error) {
	if req.Cursor == "" {
		return nil, nil
	}
	c, err := readCursor(req.Cursor, req.order())
	if err != nil {
		return nil, err
	}
	return func(list []*storedFact) int {
		last := c.fact()
		if i := slices.IndexFunc(list, c.standsFor); i >= 0 && c.ID == "" {
			last.StartLine = list[i].StartLine // lines were inserted above it
		}
		before := compareFacts(req.Sort, req.Reverse)
		return len(list) - len(slices.DeleteFunc(slices.Clone(list), func(k *storedFact) bool { return before(k, last) <= 0 }))
	}, nil
}

// fact returns a fact with the sort keys of the cursor.
func (c cursor) fact() *storedFact {
	k := &storedFact{}
	k.ID, k.Created, k.Updated, k.Importance, k.Namespace, k.Key = c.ID, c.Time, c.Updated, c.Importance, c.Namespace, c.Key
	k.File, k.StartLine = c.File, c.Line
	k.used = uses.Use{Get: c.Uses, Last: c.LastUse}
	return k
}

// standsFor reports whether k is the fact without an id from which the cursor was made.
func (c cursor) standsFor(k *storedFact) bool {
	return k.ID == "" && k.File == c.File && memory.TextID(k.Text) == c.Text
}
