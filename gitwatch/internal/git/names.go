package git

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name is a name of any bytes. In JSON it is a string, or, where it is not
// valid UTF-8, a list with its base64 form, so that no byte is lost.
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

// ShortBranch is the name of a branch without it.
func ShortBranch(name string) string { return strings.TrimPrefix(name, BranchPrefix) }

// ownFolder is AgentFlow's folder in a work tree.
const ownFolder = ".agentflow"

// InOwnFolder says whether a path of a work tree is AgentFlow's folder, or in
// it; such are never listed.
func InOwnFolder(path string) bool {
	return strings.HasPrefix(path, ownFolder) && (len(path) == len(ownFolder) || path[len(ownFolder)] == '/')
}

// OneLine makes text from a repository safe to show on one line: valid UTF-8,
// runs of space and control characters become one space.
func OneLine(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// Lines ends each text with a line feed, as git reads lists.
func Lines(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return strings.Join(ids, "\n") + "\n"
}

// SplitZ takes records apart that each end in NUL.
func SplitZ(out string) []string {
	if out == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
}

// escapes are the letters that stand for a byte behind a backslash.
var escapes = map[byte]byte{
	'a': 7, 'b': 8, 't': 9, 'n': 10, 'v': 11, 'f': 12, 'r': 13, '"': '"', '\\': '\\',
}

// Unquote reads the name in quotes that a text begins with, as git writes
// names with odd bytes, and returns what follows it. Nothing is quoted where
// git would not read it either.
func Unquote(text string) (name, rest string, quoted bool) {
	if !strings.HasPrefix(text, `"`) {
		return "", text, false
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return b.String(), text[i+1:], true
		case '\\':
			c, n := escaped(text[i+1:])
			if n == 0 {
				return "", text, false
			}
			b.WriteByte(c)
			i += n
		default:
			b.WriteByte(text[i])
		}
	}
	return "", text, false
}

// escaped is the byte that stands behind a backslash, and how many bytes it
// takes there: none when it stands for nothing.
func escaped(text string) (c byte, n int) {
	if text == "" {
		return 0, 0
	}
	if c, ok := escapes[text[0]]; ok {
		return c, 1
	}
	if len(text) < 3 || text[0] > '3' {
		return 0, 0
	}
	for _, digit := range []byte(text[:3]) {
		if digit < '0' || digit > '7' {
			return 0, 0
		}
		c = c<<3 | (digit - '0')
	}
	return c, 3
}

// QuoteGlob makes a path stand for itself in a pattern of filepath.Glob.
func QuoteGlob(path string) string {
	if filepath.Separator == '\\' {
		return path // there is no quoting; a pattern in a path matches at least itself
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
