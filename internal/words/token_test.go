package words

import (
	"strings"
	"testing"
)

func texts(ts []Token) string {
	out := make([]string, len(ts))
	for i, t := range ts {
		out[i] = t.Text
		if t.Named {
			out[i] += "!"
		}
	}
	return strings.Join(out, " ")
}

func TestTokenize(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Fix the flaky login-test.", "fix flaky login test"},
		{"what is it", "what is it"},
		{"parseConfig HTTPServer max_size", "parseconfig! parse config httpserver! http server max_size! max size"},
		{"auth/session.go", "auth session go session_go! auth_session_go!"},
		{"a/b/auth/session.go x", "b auth session go session_go! auth_session_go! a_b_auth_session_go! x"},
		{"client/server", "client server client_server"},
		{"utf8 v1.2 e.g. this", "utf8 v1 2 v1_2 e g e_g"},
		{"Café CAFÉ cafe\u0301", "cafe cafe cafe"},
		{"登录测试 ok 試", "登录 录测 测试 ok 試"},
		{"한국어 テスト", "한국 국어 テス スト"},
		{"__init__ ___", "init"},
		{strings.Repeat("x", 65), ""},
		{"\xff\xfe bad", "bad"},
		{"NEAR(a AND \"b\") OR c*", "near b c"},
	} {
		if got := texts(Tokenize(c.in)); got != c.want {
			t.Errorf("Tokenize(%q)\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

// FuzzTokenize checks that every token is one word to FTS5, and that the same
// text always gives the same tokens, regardless of the surrounding text.
func FuzzTokenize(f *testing.F) {
	for _, s := range []string{"Fix a/b.go", "登录x试", "a_B-c.d/e", "\xff\u0301é", "İstanbul ǅ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Tokenize(s)
		for _, tok := range got {
			if tok.Text == "" || strings.ContainsAny(tok.Text, " \"'()*:^+-/.\x00") {
				t.Fatalf("%q gives token %q", s, tok.Text)
			}
		}
		if again := texts(Tokenize(" " + s + "\n")); again != texts(got) {
			t.Fatalf("%q: %s, with space around it: %s", s, texts(got), again)
		}
	})
}

func TestCommonplace(t *testing.T) {
	for _, word := range []string{"fix", "fixed", "updates", "typo", "readme", "tests"} {
		if !IsCommonplace(word) {
			t.Errorf("%s is of some project", word)
		}
	}
	for _, word := range []string{"inotify", "session", "berth", "登录", ""} {
		if IsCommonplace(word) {
			t.Errorf("%q is of any project", word)
		}
	}
}

func TestIsNumber(t *testing.T) {
	for term, want := range map[string]bool{"42": true, "1_21": true, "v0_5": true, "v": false, "": false, "x86": false, "amd64": false} {
		if IsNumber(term) != want {
			t.Errorf("%q: %v", term, !want)
		}
	}
}
