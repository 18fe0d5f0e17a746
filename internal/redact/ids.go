package redact

import "strings"

// plainID says whether s looks like a commit id, a SHA-256 sum or a UUID:
// memory is full of them, and they are no secrets by themselves.
func plainID(s string) bool {
	if len(s) == 36 {
		for i := range len(s) {
			if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && !isHex(s[i]) {
				return false
			}
		}
		return true
	}
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if !isHex(s[i]) {
			return false
		}
	}
	return true
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// mayBeID says whether a rule's finding that looks like an id counts all the
// same: because the rule is for one service and its name is there, or
// because the generic rule's name for it is more than "key" or "access".
func mayBeID(r *rule, match, around string) bool {
	switch {
	case r.everyword:
		return strings.Contains(strings.ToLower(around), "sourcegraph")
	case r.id != genericRule:
		return true
	}
	name := strings.ToLower(match)
	for _, w := range []string{"secret", "token", "passw", "credential", "creds", "apikey", "api_key", "api-key", "auth"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}
