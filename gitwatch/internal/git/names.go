package git

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Name is a name of any bytes. In JSON it is a string or, if it is not valid UTF-8, a list of one
// string in base64, so that no byte is lost.
type Name string

// MarshalJSON writes the string, or the list.
func (n Name) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(n)) {
		return json.Marshal(string(n))
	}
	return json.Marshal([]string{base64.StdEncoding.EncodeToString([]byte(n))})
}

// UnmarshalJSON reads either form.
func (n *Name) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*n = Name(s)
		return nil
	}
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	if len(list) != 1 {
		return fmt.Errorf("read name: want one base64 string, got %d", len(list))
	}
	raw, err := base64.StdEncoding.DecodeString(list[0])
	if err != nil {
		return fmt.Errorf("read name: %w", err)
	}
	*n = Name(raw)
	return nil
}

// BranchPrefix begins the full names of branches.
const BranchPrefix = "refs/heads/"

// ShortBranch returns the name of a branch without BranchPrefix.
func ShortBranch(name string) string { return strings.TrimPrefix(name, BranchPrefix) }

// ownFolder names AgentFlow's folder in work trees.
const ownFolder = ".agentflow"

// InOwnFolder reports whether a path of a work tree is AgentFlow's folder, or below it. Such paths
// are never listed.
func InOwnFolder(path string) bool {
	return strings.HasPrefix(path, ownFolder) && (len(path) == len(ownFolder) || path[len(ownFolder)] == '/')
}

// OneLine makes text from a repository safe to show on one line: it is valid UTF-8, and runs of
// space and control characters become one space.
func OneLine(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// Lines returns the texts, each with a line feed at its end, as git reads lists.
func Lines(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return strings.Join(ids, "\n") + "\n"
}

// SplitZ splits records that each end in NUL.
func SplitZ(out string) []string {
	if out == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
}

// Git quotes names with odd bytes as C does, and has no other escapes.
var (
	quotedName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^"(?:[^"\\]|\\[abtnvfr"\\]|\\[0-3][0-7]{2})*"`) })
	escape     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\(?:[0-7]{3}|.)`) })
)

// Unquote reads the quoted name that a text begins with, and returns the text after it.
func Unquote(text string) (name, rest string, quoted bool) {
	if !strings.HasPrefix(text, `"`) {
		return "", text, false
	}
	found := quotedName().FindString(text)
	if found == "" {
		return "", text, false
	}
	name = escape().ReplaceAllStringFunc(found[1:len(found)-1], func(escaped string) string {
		c, _, _, _ := strconv.UnquoteChar(escaped, '"') // one that the pattern allows
		return string([]byte{byte(c)})
	})
	return name, text[len(found):], true
}
