package connect

import (
	"encoding/json"
	"reflect"
)

// hasItems reports whether a text holds exactly these items, each once, and no older items of
// ours.
func hasItems(text []byte, items []Item) bool {
	root, err := parse(text)
	if err != nil || root == nil {
		return false
	}
	for _, item := range items {
		at, err := root.find(item.Path)
		if err != nil || at == nil {
			return false
		}
		want, found := plain(item.Value), 0
		for _, have := range item.candidates(at, text) {
			if holds(have, want) {
				found++
				continue
			}
			inside, older := item.inside(have, want)
			if found += inside; older || item.Ours(have) {
				return false
			}
		}
		if found != 1 {
			return false
		}
	}
	return true
}

// holds reports whether have is the wanted value. An object may have additional members, which
// a user may have added.
func holds(have, want any) bool {
	wanted, ok := want.(map[string]any)
	object, ok2 := have.(map[string]any)
	if !ok || !ok2 {
		return reflect.DeepEqual(have, want)
	}
	for key, value := range wanted {
		if !reflect.DeepEqual(object[key], value) {
			return false
		}
	}
	return true
}

// inside counts the wanted value in the inner list of an element, and reports whether that list
// has an older item of ours.
func (item Item) inside(have, want any) (found int, older bool) {
	wanted := item.inner(want)
	for _, v := range item.inner(have) {
		switch {
		case len(wanted) > 0 && holds(v, wanted[0]):
			found++
		case item.OursInside(v):
			older = true
		}
	}
	return found, older
}

// inner returns the inner list of an element.
func (item Item) inner(element any) []any {
	object, _ := element.(map[string]any)
	list, _ := object[item.Inner].([]any)
	return list
}

// candidates returns the values that may be an item.
func (item Item) candidates(at *node, text []byte) []any {
	if item.List {
		list, _ := at.decoded(text).([]any)
		return list
	}
	return []any{at.decoded(text)}
}

// plain returns a value as it is after encoding and decoding.
func plain(value any) (back any) {
	data, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(data, &back)
	}
	if err != nil {
		panic(err) // our values can be encoded
	}
	return back
}
