package connect

import (
	"bytes"
	"slices"
)

// cutItems returns the text without our items, and every other byte unchanged. It also removes
// objects and lists that become empty, unless they were empty in before.
func cutItems(text []byte, items []Item, before []byte) ([]byte, error) {
	old, err := parse(before)
	if err != nil {
		old = nil
	}
	for _, item := range items {
		for {
			root, err := parse(text)
			if err != nil || root == nil {
				return text, err
			}
			cut, found := cutItem(text, root, item, old)
			if !found {
				break
			}
			text = cut
		}
	}
	return text, nil
}

// cutItem removes one of our items. It returns false if there is none.
func cutItem(text []byte, root *node, item Item, old *node) ([]byte, bool) {
	chain := []*node{root} // the objects on the way
	for i, key := range item.Path {
		at := chain[i]
		if at.kind != '{' || at.child(key) == nil {
			return text, false
		}
		chain = append(chain, &at.child(key).value)
	}
	last := chain[len(chain)-1]
	if !item.List {
		if !item.Ours(last.decoded(text)) {
			return text, false
		}
		return cutUpwards(text, chain[:len(chain)-1], item.Path, indexOf(chain[len(chain)-2], item.Path[len(item.Path)-1]), old), true
	}
	if last.kind != '[' {
		return text, false
	}
	if i := indexWhere(text, last, item.Ours); i >= 0 {
		return cutUpwards(text, chain, item.Path, i, old), true
	}
	return cutInside(text, last, item)
}

// indexWhere returns the index of the first member of a list with a value for which is returns
// true, or -1.
func indexWhere(text []byte, list *node, is func(any) bool) int {
	return slices.IndexFunc(list.members, func(m member) bool { return is(m.value.decoded(text)) })
}

// cutInside removes one of our items from the inner list of an element that also holds items of
// other people.
func cutInside(text []byte, list *node, item Item) ([]byte, bool) {
	for _, element := range list.members {
		inner := element.value.child(item.Inner)
		if item.Inner == "" || inner == nil || inner.value.kind != '[' {
			continue
		}
		if i := indexWhere(text, &inner.value, item.OursInside); i >= 0 {
			return cutMember(text, &inner.value, i), true
		}
	}
	return text, false
}

// indexOf returns the index of the member with a key, or -1. Of several members it returns the
// last one.
func indexOf(n *node, key string) int {
	for i, m := range slices.Backward(n.members) {
		if m.key == key {
			return i
		}
	}
	return -1
}

// cutUpwards removes the i-th member of the last object or list of chain. If that would become
// empty, it removes it from its parent, and so on, except the root and those that were empty in
// old.
func cutUpwards(text []byte, chain []*node, path []string, i int, old *node) []byte {
	at := len(chain) - 1
	for ; at > 0 && len(chain[at].members) == 1 && !wasThere(old, path[:at]); at-- {
		i = indexOf(chain[at-1], path[at-1])
	}
	return cutMember(text, chain[at], i)
}

func wasThere(old *node, path []string) bool {
	if old == nil {
		return false
	}
	n, err := old.find(path)
	return err == nil && n != nil && len(n.members) == 0
}

// cutMember removes a member, with one comma and the white space before it.
func cutMember(text []byte, in *node, i int) []byte {
	m := in.members[i]
	from, to := m.start, m.value.end
	for from > in.start+1 && isSpace(text[from-1]) {
		from--
	}
	switch {
	case m.comma >= 0:
		text = slices.Concat(text[:from], text[to:m.comma], text[m.comma+1:])
	case i > 0:
		comma := in.members[i-1].comma
		text = slices.Concat(text[:comma], text[comma+1:from], text[to:])
	default:
		text = slices.Concat(text[:from], text[to:])
		return closeUp(text, in.start)
	}
	if len(in.members) == 1 {
		return closeUp(text, in.start)
	}
	return text
}

// closeUp joins the brackets of an object or list that an edit emptied.
func closeUp(text []byte, open int) []byte {
	end := open + 1
	for isSpace(text[end]) {
		end++
	}
	if text[end] != text[open]+2 || !bytes.ContainsRune(text[open:end], '\n') {
		return text
	}
	return slices.Concat(text[:open+1], text[end:])
}
