package embed

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalizer implements BertNormalizer: its fields select the steps.
type normalizer struct{ clean, chinese, accents, lower bool }

func parseNormalizer(data json.RawMessage) (normalizer, error) {
	file := struct {
		Type    string
		Clean   bool  `json:"clean_text"`
		Chinese bool  `json:"handle_chinese_chars"`
		Accents *bool `json:"strip_accents"`
		Lower   bool  `json:"lowercase"`
	}{Clean: true, Chinese: true, Lower: true}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &file); err != nil {
			return normalizer{}, fmt.Errorf("normalizer: %w", err)
		}
	}
	if file.Type != "BertNormalizer" {
		return normalizer{}, fmt.Errorf("normalizer %q: only BertNormalizer is understood", file.Type)
	}
	accents := file.Lower // unless the file says otherwise, accents are stripped with capitals
	if file.Accents != nil {
		accents = *file.Accents
	}
	return normalizer{file.Clean, file.Chinese, accents, file.Lower}, nil
}

func (n normalizer) apply(text string) string {
	text = strings.ToValidUTF8(text, "")
	if n.clean || n.chinese {
		text = n.spaceOut(text)
	}
	if n.accents {
		text = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFD.String(text))
	}
	if n.lower {
		text = strings.ToLower(text)
	}
	return text
}

// spaceOut removes control characters, replaces every kind of space by a plain
// one, and puts spaces around ideographs, because each is a word.
func (n normalizer) spaceOut(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		switch {
		case n.clean && (r == '\t' || r == '\n' || r == '\r'):
			b.WriteByte(' ')
		case n.clean && (r == utf8.RuneError || unicode.Is(unicode.Other, r)):
		case n.clean && unicode.IsSpace(r):
			b.WriteByte(' ')
		case n.chinese && isIdeograph(r):
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isIdeograph reports whether r is in the blocks that BERT treats as Chinese:
// not all of Han, and neither kana nor hangul.
func isIdeograph(r rune) bool {
	switch {
	case r < 0x3400:
		return false
	case 0x4E00 <= r && r <= 0x9FFF, 0x3400 <= r && r <= 0x4DBF, 0xF900 <= r && r <= 0xFAFF:
		return true
	case 0x20000 <= r && r <= 0x2A6DF, 0x2A700 <= r && r <= 0x2CEAF, 0x2F800 <= r && r <= 0x2FA1F:
		return true
	}
	return false
}

// splitWords implements BertPreTokenizer: words end at spaces, and each
// punctuation mark is a word.
func splitWords(text string) []string {
	words := make([]string, 0, len(text)/5)
	start := -1 // start of the current word; -1 if none
	for i, r := range text {
		mark := isMark(r)
		if !mark && !unicode.IsSpace(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			words = append(words, text[start:i])
			start = -1
		}
		if mark {
			words = append(words, text[i:i+utf8.RuneLen(r)])
		}
	}
	if start >= 0 {
		words = append(words, text[start:])
	}
	return words
}

// isMark reports whether BERT treats r as punctuation: all ASCII characters
// except letters, digits and spaces, and Unicode's punctuation.
func isMark(r rune) bool {
	if r < utf8.RuneSelf {
		return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
	}
	return unicode.IsPunct(r)
}
