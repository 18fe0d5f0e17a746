package connect

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Item is one of our values in a JSON settings file.
type Item struct {
	Path  []string       // keys of objects
	List  bool           // it is an element of the list at Path; otherwise it is the value at Path
	Value any            // encoding/json encodes it, with the keys of maps in order
	Ours  func(any) bool // reports whether a value is ours, possibly an older one
	// Inner is the key of a list within each element of a List, to which a user may have moved
	// ours, next to other items. It is empty if elements have no such list. OursInside is Ours
	// for that list.
	Inner      string
	OursInside func(any) bool
}

// addItems returns the text with the items, and every other byte unchanged. It returns an error
// if the text cannot be parsed, or if a value that is not ours is in the place of an item.
func addItems(text []byte, items []Item) ([]byte, error) {
	for _, item := range items {
		var err error
		if text, err = addItem(text, item); err != nil {
			return nil, err
		}
	}
	return text, nil
}

func addItem(text []byte, item Item) ([]byte, error) {
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	if root == nil { // an empty file
		text = append(slices.Clip(text), "{}\n"...)
		if root, err = parse(text); err != nil || root == nil {
			return nil, fmt.Errorf("it holds nothing but comments")
		}
	}
	at, depth := root, 0
	for ; depth < len(item.Path); depth++ {
		if at.kind != '{' {
			return nil, fmt.Errorf("%s is no object", quotedPath(item.Path[:depth]))
		}
		next := at.child(item.Path[depth])
		if next == nil {
			break
		}
		at = &next.value
	}
	value := item.Value
	switch {
	case depth < len(item.Path):
		if item.List {
			value = []any{value}
		}
		for _, key := range slices.Backward(item.Path[depth+1:]) {
			value = map[string]any{key: value}
		}
		return insert(text, root, at, item.Path[depth], value), nil
	case item.List && at.kind == '[':
		return insert(text, root, at, "", value), nil
	case item.List:
		return nil, fmt.Errorf("%s is no list", quotedPath(item.Path))
	}
	return nil, fmt.Errorf("%s is set already, and not by agentflow", quotedPath(item.Path))
}

// insert adds a value after the last one of an object, with key, or of a list, in the style of
// its surroundings.
func insert(text []byte, root, in *node, key string, value any) []byte {
	style := styleOf(text, root)
	outer := indentOf(text, in.start)
	n := len(in.members)
	if n == 0 {
		if !style.lines {
			return splice(text, in.start+1, style.member(key, value, ""))
		}
		piece := style.newline + outer + style.indent + style.member(key, value, outer+style.indent)
		if len(bytes.TrimSpace(text[in.start+1:in.end-1])) == 0 && !bytes.ContainsRune(text[in.start+1:in.end-1], '\n') {
			piece += style.newline + outer
		}
		return splice(text, in.start+1, piece)
	}
	last := in.members[n-1]
	inner, own := lineStart(text, last.start)
	if !own || !style.lines {
		style.lines = false
		piece, at := style.gap()+style.member(key, value, ""), last.value.end
		if last.comma >= 0 {
			return splice(text, last.comma+1, piece+",")
		}
		return splice(text, at, ","+piece)
	}
	piece := style.newline + inner + style.member(key, value, inner)
	if last.comma >= 0 {
		return splice(text, lineComment(text, last.comma+1), piece+",")
	}
	at := lineComment(text, last.value.end)
	return splice(splice(text, at, piece), last.value.end, ",")
}

func splice(text []byte, at int, piece string) []byte {
	return slices.Concat(text[:at], []byte(piece), text[at:])
}

func quoted(s string) string { return style{}.write(s, "") }

func quotedPath(path []string) string {
	if len(path) == 0 {
		return "the whole"
	}
	return strconv.Quote(strings.Join(path, "."))
}
