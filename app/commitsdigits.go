package app

import (
	"agentflow/gitwatch/history"
	"agentflow/memory"
)

// hexDigits are ids that are looked for.
type hexDigits map[string]bool

// in says whether any of them stands in text.
func (d hexDigits) in(text []byte) bool {
	from := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && (text[i]-'0' <= 9 || text[i]-'a' <= 5) {
			continue
		}
		if i-from >= len(memory.NoBlob) && d[string(text[from:i])] {
			return true
		}
		from = i + 1
	}
	return false
}

func digitsOfIDs(lists ...[]string) hexDigits {
	d := hexDigits{}
	for _, ids := range lists {
		for _, id := range ids {
			d[id] = true
		}
	}
	return d
}

// digitsOf are what stands in an entry that has to do with one of the
// commits: its id, its patch, or what a file was left as.
func digitsOf(commits []history.Commit, patches map[string]string) hexDigits {
	d := hexDigits{}
	for _, c := range commits {
		d[c.ID] = true
		for _, f := range c.Files {
			d[f.Blob] = true
		}
	}
	for _, patch := range patches {
		d[patch] = true
	}
	return d
}
