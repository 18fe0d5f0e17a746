package calls

import (
	"slices"
	"strings"
)

// saysWritten are the words with which programs begin a line that names a
// file they wrote or removed. Those of git's own status ("modified:",
// "deleted:") are not among them: they tell of anybody's changes.
var saysWritten = map[string]bool{
	"wrote": true, "writing": true, "created": true, "creating": true, "generated": true, "generating": true,
	"saved": true, "saving": true, "removed": true, "removing": true, "renamed": true, "formatted": true,
	"reformatted": true, "rewrote": true, "fixed": true, "updated": true, "patching": true,
}

// WrittenIn are the words that a command's output names as written: those of
// lines such as "wrote dist/app.js". It is for commands that do not list what
// others changed.
func WrittenIn(output string) []string {
	var names []string
	for line := range strings.Lines(output[:min(len(output), maxCommand)]) {
		words := strings.Fields(line)
		if len(words) < 2 || !saysWritten[strings.ToLower(words[0])] {
			continue
		}
		for _, word := range words[1:] {
			word = strings.TrimSuffix(strings.Trim(word, "\"'`,:;()[]…"), ".")
			if word == "" || word == "." || slices.Contains(names, word) {
				continue
			}
			if names = append(names, word); len(names) == maxNames {
				return names
			}
		}
	}
	return names
}
