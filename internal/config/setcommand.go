package config

import (
	"bytes"
	"encoding/json"
	"strings"

	"agentflow/internal/shellword"
)

// SetCommand returns the command line that stores a list as a setting in the
// user's file. A shell can run it as it is.
func SetCommand(key string, list []string) string {
	quoted := make([]string, len(list))
	for i, item := range list {
		quoted[i] = basicString(item)
	}
	return shellword.Join([]string{"agentflow", "config", "set", key, "[" + strings.Join(quoted, ", ") + "]"})
}

// basicString returns a text as a string of TOML. JSON has the same escapes.
func basicString(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string has no error
	return strings.TrimSuffix(b.String(), "\n")
}
