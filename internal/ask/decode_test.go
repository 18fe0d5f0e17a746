package ask

import (
	"strings"
	"testing"
	"unicode"
)

func TestDecode(t *testing.T) {
	type form struct {
		Facts []struct{ Text string } `json:"facts"`
	}
	for answer, want := range map[string]string{
		`{"facts": [{"text": "a"}]}`: "", "```json\n{\"facts\": []}\n```\n": "", " {}\n": "",
		"": "EOF", "Sure! {}": "invalid character", `{"facts": [], "more": 1}`: "", `{} {}`: "more follows",
		`{"facts": "none"}`: "cannot unmarshal", "[]": "cannot unmarshal", "```": "invalid character", `{"facts": [{"text": "a"`: "EOF",
	} {
		var v form
		err := Decode(answer, &v)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", answer, err, want)
		}
	}
}

func FuzzOutput(f *testing.F) {
	f.Add(`{"type":"result","subtype":"success","is_error":false,"result":"yes"}`)
	f.Add("noise\n" + `{"type":"result","result":"\u001b[0m","total_cost_usd":-1}` + "\nmore")
	f.Add("```json\n{}\n```")
	f.Fuzz(func(t *testing.T, text string) {
		if r, ok := findResult([]byte(text)); ok && r.Type != "result" {
			t.Errorf("%+v is no result", r)
		}
		var v struct{ A []string }
		_ = Decode(text, &v)
		line := Line(text)
		if len([]rune(line)) > maxLine || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q is not fit for a message", line)
		}
	})
}
