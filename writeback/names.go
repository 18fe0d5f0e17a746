package writeback

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// JSON holds no bytes that are not UTF-8, and names of files may have them:
// such a name is written as Go quotes it, with the quotes, and so is one that
// begins with a quote.

func nameToJSON(name string) string {
	if utf8.ValidString(name) && !strings.HasPrefix(name, `"`) {
		return name
	}
	return strconv.QuoteToASCII(name)
}

func nameFromJSON(text string) string {
	if name, err := strconv.Unquote(text); err == nil && strings.HasPrefix(text, `"`) {
		return name
	}
	return text
}
