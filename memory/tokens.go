package memory

import "math"

// Tokens is the one estimate of how many tokens a text is to a language
// model: a token for four runes, or for one and a half of Chinese, Japanese
// and Korean.
func Tokens(s string) int {
	plain, cjk := 0, 0
	for _, r := range s {
		if isCJK(r) {
			cjk++
		} else {
			plain++
		}
	}
	return int(math.Ceil(float64(plain)/4 + float64(cjk)/1.5))
}

func isCJK(r rune) bool {
	if r < 0x1100 { // nearly all text
		return false
	}
	return r <= 0x11FF || 0x2E80 <= r && r <= 0x9FFF || 0xA960 <= r && r <= 0xA97F ||
		0xAC00 <= r && r <= 0xD7FF || 0xF900 <= r && r <= 0xFAFF || 0xFF00 <= r && r <= 0xFFEF ||
		0x1F200 <= r && r <= 0x1F2FF || 0x20000 <= r && r <= 0x3FFFF
}
