package invisible

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

func TestRune(t *testing.T) {
	for _, r := range []rune{
		0x00, 0x1b, '\r', 0x7f, 0x80, 0x9b, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x180e, 0x200b, 0x200d, 0x202e, 0x2028, 0x2060,
		0x2066, 0x206a, 0x206f, 0x3164, 0xfeff, 0xffa0, 0xfff9, 0xfffb, 0x1d173, 0x1d17a, 0xe0001, 0xe007f, 0xe0100, 0xe01ef, 0xe0fff,
	} {
		if !Rune(r) {
			t.Errorf("%U counts as visible", r)
		}
	}
	for _, r := range "aZ~ \n\téßñд中文한ㅏᄀ€…→‹›👍️😀𝄞\ufffd\u0301 " {
		if Rune(r) {
			t.Errorf("%U counts as invisible", r)
		}
	}
}

// Every character that Unicode lets a reader ignore counts, but for the
// selectors of emoji.
func TestRuneAgainstUnicode(t *testing.T) {
	for _, table := range []*unicode.RangeTable{unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Bidi_Control, unicode.Join_Control} {
		for r := rune(0); r <= unicode.MaxRune; r++ {
			emoji := 0xfe00 <= r && r <= 0xfe0f
			if unicode.Is(table, r) && !emoji && !Rune(r) {
				t.Errorf("%U counts as visible", r)
			}
		}
	}
}

func TestEscape(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "a": 0, "é": 0, "\x1b": 1, "\x1b[31mred": 5, "\x1b[38;5;9mx": 9, "\x1b[": 2, "\x1b(Bx": 3, "\x1b7x": 2, "\x1b\nx": 1,
		"\x1b]0;title\x07x": 10, "\x1b]8;;u\x1b\\x": 8, "\x1b]no end": 2, "\x1b]no\nend\x07": 2,
		"\u009b31mred": 5, "\u009d0;title\x07x": 10, "\u0085x": 0, "\xc2": 0,
	} {
		if got := Escape(s); got != want {
			t.Errorf("%q begins with %d bytes of a sequence, want %d", s, got, want)
		}
	}
}

func TestEscapeJSON(t *testing.T) {
	const value = "a\u009b31m \u007f b\u202ec é 😀 \U000e0041\U000e0100 \x1b[1m"
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	escaped := EscapeJSON(text)
	if i := strings.IndexFunc(string(escaped), Rune); i >= 0 {
		t.Errorf("%q holds an invisible character", escaped)
	}
	var back string
	if err := json.Unmarshal(escaped, &back); err != nil || back != value {
		t.Errorf("%q becomes %q: %v", value, back, err)
	}
	if same := []byte(`{"text":"é 😀"}`); string(EscapeJSON(same)) != string(same) {
		t.Errorf("%s becomes %s", same, EscapeJSON(same))
	}
}
