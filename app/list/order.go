package list

import (
	"slices"

	"agentflow/app/fact"
	"agentflow/app/lookup"
	"agentflow/memory"
)

// FactOrders lists the orders. The first one is the default.
var FactOrders = []fact.Order{"created", "updated", "importance", "namespace", "key", "uses"}

// order identifies the list to which a cursor belongs.
func (req *Request) order() string {
	if req.Reverse {
		return "facts -" + string(req.Sort)
	}
	return "facts " + string(req.Sort)
}

// cursorOf returns the cursor that continues after a fact.
func (req *Request) cursorOf(k *lookup.StoredFact) lookup.Cursor {
	c := lookup.Cursor{List: req.order(), ID: k.ID, Time: k.CreatedAt(), Updated: k.UpdatedAt(), Importance: k.Importance,
		Namespace: k.Namespace, Key: k.Key, Uses: k.Used.Count(), LastUse: k.Used.Last, File: k.File, Line: k.StartLine}
	if k.ID == "" {
		c.Text = memory.TextID(k.Text)
	}
	return c
}

// behind returns a function that counts the facts of a sorted list up to the place of the request's cursor. It returns
// nil without a cursor.
func (req *Request) behind() (func(list []*lookup.StoredFact) int, error) {
	if req.Cursor == "" {
		return nil, nil
	}
	c, err := lookup.ReadCursor(req.Cursor, req.order())
	if err != nil {
		return nil, err
	}
	return func(list []*lookup.StoredFact) int {
		last := c.Fact()
		if i := slices.IndexFunc(list, c.StandsFor); i >= 0 && c.ID == "" {
			last.StartLine = list[i].StartLine // lines were inserted above it
		}
		before := fact.CompareFacts(req.Sort, req.Reverse)
		return len(list) - len(slices.DeleteFunc(slices.Clone(list), func(k *lookup.StoredFact) bool { return before(k, last) <= 0 }))
	}, nil
}
