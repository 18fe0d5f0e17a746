package connect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Item is one thing of ours in a settings file of JSON.
type Item struct {
	Path  []string       // keys of objects
	List  bool           // it is an element of the list at Path; otherwise the value at Path
	Value any            // as encoding/json writes it; maps come in the order of their keys
	Ours  func(any) bool // tells ours, also an older one, from other people's
}

// AddItems is the text with the items in it; everything else stays byte for
// byte. It is an error when the text cannot be parsed, or when something that
// is not ours stands where an item belongs.
func AddItems(text []byte, items []Item) ([]byte, error) {
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

// HasItems says whether a text holds exactly these items, each once, and no
// older ones of ours.
func HasItems(text []byte, items []Item) bool {
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
			switch {
			case holds(have, want):
				found++
			case item.Ours(have):
				return false
			}
		}
		if found != 1 {
			return false
		}
	}
	return true
}

// holds says whether a value is what is wanted; an object may hold more, which
// somebody added.
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

// candidates are the values that an item could be.
func (item Item) candidates(at *node, text []byte) []any {
	if item.List {
		list, _ := at.decoded(text).([]any)
		return list
	}
	return []any{at.decoded(text)}
}

// plain is a value as it is read back.
func plain(value any) (back any) {
	data, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(data, &back)
	}
	if err != nil {
		panic(err) // our own values can be written
	}
	return back
}

// CutItems is the text without what is ours; everything else stays byte for
// byte. Objects and lists that are empty then go too, but for those that were
// empty in before already.
func CutItems(text []byte, items []Item, before []byte) ([]byte, error) {
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

// cutItem takes one thing of ours out.
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
	i := slices.IndexFunc(last.members, func(m member) bool { return item.Ours(m.value.decoded(text)) })
	if i < 0 {
		return text, false
	}
	return cutUpwards(text, chain, item.Path, i, old), true
}

// indexOf is where the member with a key stands; of several the last one.
func indexOf(n *node, key string) int {
	for i, m := range slices.Backward(n.members) {
		if m.key == key {
			return i
		}
	}
	return -1
}

// cutUpwards takes the i-th member of the last object or list of chain out; where
// nothing else is in it, the whole, but for the root and for what was empty in old.
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

// cutMember takes a member out, with one comma and the white space before it.
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

// closeUp joins the brackets of an object or list that an edit has emptied.
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

// insert puts a value behind the last one of an object, under key, or of a
// list, written as its surroundings are.
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

// lineComment is the end of the comments that stand behind at on its line; at
// itself where there are none.
func lineComment(text []byte, at int) int {
	end := at
	for i := at; i < len(text); {
		rest := text[i:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t':
			i++
			continue
		case bytes.HasPrefix(rest, []byte("//")):
			if line := bytes.IndexByte(rest, '\n'); line >= 0 {
				rest = rest[:line]
			}
			return i + len(bytes.TrimRight(rest, " \t\r"))
		case bytes.HasPrefix(rest, []byte("/*")):
			stop := bytes.Index(rest, []byte("*/"))
			if stop < 0 || bytes.ContainsRune(rest[:stop], '\n') {
				return end
			}
			i += stop + 2
			end = i
			continue
		}
		break
	}
	return end
}

// lineStart is the white space that a line begins with, and whether nothing else
// stands before at on it.
func lineStart(text []byte, at int) (indent string, own bool) {
	begin := 1 + bytes.LastIndexByte(text[:at], '\n')
	before := text[begin:at]
	return string(before), begin > 0 && len(bytes.Trim(before, " \t")) == 0
}

// indentOf is the white space that the line of a place begins with.
func indentOf(text []byte, at int) string {
	begin := 1 + bytes.LastIndexByte(text[:at], '\n')
	end := begin
	for end < at && (text[end] == ' ' || text[end] == '\t') {
		end++
	}
	return string(text[begin:end])
}

// style is how a file is written.
type style struct {
	lines           bool // a member has a line of its own
	spaced          bool // a space stands behind commas and colons
	newline, indent string
}

func styleOf(text []byte, root *node) style {
	s := style{lines: true, spaced: true, newline: "\n", indent: "  "}
	if bytes.Contains(text, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	if len(root.members) == 0 {
		return s
	}
	first := root.members[0]
	indent, own := lineStart(text, first.start)
	if own && len(indent) > 0 {
		s.indent = indent
	}
	s.lines = own || bytes.ContainsRune(text[root.start:root.end], '\n')
	s.spaced = s.lines || bytes.ContainsAny(text[root.start:root.end], " ")
	return s
}

func (s style) gap() string {
	if s.spaced {
		return " "
	}
	return ""
}

// member is a member as it stands in the file.
func (s style) member(key string, value any, indent string) string {
	text := s.write(value, indent)
	if key == "" {
		return text
	}
	return quoted(key) + ":" + s.gap() + text
}

// write is a value as JSON, the lines after the first one indented.
func (s style) write(value any, indent string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if s.lines {
		encoder.SetIndent(indent, s.indent)
	}
	if err := encoder.Encode(value); err != nil {
		panic(err) // our own values can be written
	}
	text := strings.TrimSuffix(out.String(), "\n")
	return strings.ReplaceAll(text, "\n", s.newline)
}

func quoted(s string) string { return style{}.write(s, "") }

func quotedPath(path []string) string {
	if len(path) == 0 {
		return "the whole"
	}
	return strconv.Quote(strings.Join(path, "."))
}
