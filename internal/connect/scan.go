package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// node is a value of a JSON text, and its place.
type node struct {
	kind       byte // '{', '[', '"', or 'v': a number, true, false or null
	start, end int  // of the value
	members    []member
}

// member is a member of an object, or an element of a list, which has no key.
type member struct {
	key   string
	start int // of the key, or of the element
	comma int // of the comma after it; -1: there is none
	value node
}

// maxNesting limits the depth of nested settings.
const maxNesting = 500

var byteOrderMark = []byte("\ufeff")

// scanner scans JSON, including comments and trailing commas.
type scanner struct {
	text []byte
	at   int
}

// parse parses a settings file. For an empty one it returns no root.
func parse(text []byte) (root *node, err error) {
	s := &scanner{text: text}
	if bytes.HasPrefix(text, byteOrderMark) {
		s.at = len(byteOrderMark)
	}
	if err := s.space(); err != nil {
		return nil, err
	}
	if s.at == len(text) {
		return nil, nil
	}
	top, err := s.value(maxNesting)
	if err == nil {
		err = s.space()
	}
	switch {
	case err != nil:
	case s.at < len(text):
		err = s.wrong("there is more behind the end")
	case top.kind != '{':
		err = errors.New("it holds no object")
	}
	return &top, err
}

// wrong returns an error that names the line.
func (s *scanner) wrong(what string) error {
	return fmt.Errorf("line %d: %s", 1+bytes.Count(s.text[:min(s.at, len(s.text))], []byte("\n")), what)
}

// peek returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// space skips white space and comments.
func (s *scanner) space() error {
	for {
		rest := s.text[s.at:]
		switch {
		case len(rest) > 0 && isSpace(rest[0]):
			s.at++
		case bytes.HasPrefix(rest, []byte("//")):
			if s.at += bytes.IndexByte(rest, '\n'); bytes.IndexByte(rest, '\n') < 0 {
				s.at = len(s.text)
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				return s.wrong("a comment has no end")
			}
			s.at += 2 + end + 2
		default:
			return nil
		}
	}
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

func (s *scanner) value(depth int) (n node, err error) {
	n.start = s.at
	switch c := s.peek(); {
	case depth == 0:
		return n, s.wrong("it is nested too deeply")
	case c == '{' || c == '[':
		n.kind = c
		n.members, err = s.members(c, depth-1)
	case c == '"':
		n.kind = c
		_, err = s.quoted()
	default:
		n.kind = 'v'
		for s.at < len(s.text) && !isSpace(s.text[s.at]) && !bytes.ContainsRune([]byte(",]}:/\"[{"), rune(s.text[s.at])) {
			s.at++
		}
		if !json.Valid(s.text[n.start:s.at]) {
			return n, s.wrong("a value is missing or wrong")
		}
	}
	n.end = s.at
	return n, err
}

// members scans an object or a list from its opening to its closing bracket.
func (s *scanner) members(open byte, depth int) (list []member, err error) {
	closing := open + 2 // as in ASCII
	for s.at++; ; {
		if err := s.space(); err != nil {
			return nil, err
		}
		if s.peek() == closing {
			s.at++
			return list, nil
		}
		if n := len(list); n > 0 && list[n-1].comma < 0 {
			return nil, s.wrong("a comma or bracket is missing")
		}
		m := member{start: s.at, comma: -1}
		if open == '{' {
			if m.key, err = s.key(); err != nil {
				return nil, err
			}
		}
		if m.value, err = s.value(depth); err == nil {
			err = s.space()
		}
		if err != nil {
			return nil, err
		}
		if s.peek() == ',' {
			m.comma = s.at
			s.at++
		}
		list = append(list, m)
	}
}

// key scans a key and the colon after it.
func (s *scanner) key() (string, error) {
	if s.peek() != '"' {
		return "", s.wrong("a key is missing")
	}
	key, err := s.quoted()
	if err == nil {
		err = s.space()
	}
	if err != nil {
		return "", err
	}
	if s.peek() != ':' {
		return "", s.wrong("a colon is missing")
	}
	s.at++
	return key, s.space()
}

func (s *scanner) quoted() (text string, err error) {
	start := s.at
	for s.at++; s.at < len(s.text) && s.text[s.at] != '"' && s.text[s.at] != '\n'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
	if s.peek() != '"' {
		return "", s.wrong("a text has no end")
	}
	s.at++
	if err := json.Unmarshal(s.text[start:s.at], &text); err != nil {
		return "", s.wrong("a text cannot be read")
	}
	return text, nil
}

// child returns the member with a key, or nil. Of several members it returns the last one,
// which counts.
func (n *node) child(key string) *member {
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].key == key {
			return &n.members[i]
		}
	}
	return nil
}

// find returns the value at a path of keys, or nil if there is none. It returns an error if a
// value on the way is not an object.
func (n *node) find(path []string) (*node, error) {
	for i, key := range path {
		if n.kind != '{' {
			return nil, fmt.Errorf("%s is no object", quotedPath(path[:i]))
		}
		m := n.child(key)
		if m == nil {
			return nil, nil
		}
		n = &m.value
	}
	return n, nil
}

// decoded returns a value as encoding/json decodes it, without comments.
func (n *node) decoded(text []byte) any {
	switch n.kind {
	case '{':
		object := map[string]any{}
		for _, m := range n.members {
			object[m.key] = m.value.decoded(text)
		}
		return object
	case '[':
		list := []any{}
		for _, m := range n.members {
			list = append(list, m.value.decoded(text))
		}
		return list
	}
	var value any
	_ = json.Unmarshal(text[n.start:n.end], &value) // the scanner has checked it
	return value
}
