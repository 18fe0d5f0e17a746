package secrettest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

var parts = regexp.MustCompile(`[A-Za-z0-9_+/=.~-]{8,}`)

// Left returns the part of a secret that a text still contains, or "".
func Left(text, secret string) string {
	if strings.Contains(text, secret) {
		return secret
	}
	for _, p := range parts.FindAllString(secret, -1) {
		if strings.Contains(text, p) {
			return p
		}
	}
	return ""
}

// Contexts returns a text in various contexts in which secrets occur.
func Contexts(text string) map[string]string {
	inner := Escape(text)
	return map[string]string{
		"alone":    text,
		"export":   "export X=" + text + "\nexport Y=1",
		"json":     `{"line": 3, "text": "` + inner + `", "more": true}`,
		"sentence": "I saw that we set " + text + ", and then it worked.",
		"diff":     "@@ -1,2 +1,3 @@\n context\n+  key: " + text + "\n-  old: value\n",
		"stderr":   "Traceback (most recent call last):\r\nValueError: cannot use " + text + "\r\nexit status 1",
		"long":     strings.Repeat("x", 5000) + "\n" + strings.Repeat("word ", 2000) + text + "\n" + strings.Repeat("The end. ", 900),
	}
}

// Escape returns a text as it is written within a JSON string.
func Escape(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(text)
	return b.String()[1 : b.Len()-2]
}

// Tail returns the end of a text, for the message of a test.
func Tail(s string) string {
	if len(s) > 700 {
		return fmt.Sprintf("…%s", s[len(s)-700:])
	}
	return s
}
