package embed

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"agentflow/internal/words"
)

func localVector(t testing.TB, text string) []float32 {
	t.Helper()
	vectors, err := newLocal(localDefault).Embed(t.Context(), Document, []string{text})
	if err != nil || len(vectors) != 1 {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	return vectors[0]
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestLocalLikeness(t *testing.T) {
	for _, c := range []struct{ text, near, far string }{
		{"fix the flaky login test", "the test of the login is flaky", "translate the manual"},
		{"indexing a repository", "the index of repositories", "colours of the terminal"},
		{"retryDelay is too short", "retry delay", "journal of a run"},
		{"parse_config fails", "ParseConfig", "snapshot of a work tree"},
		{"auth/session.go panics", "changed session.go", "changed index.go"},
		{"a crash in HTTPServer", "http server", "token budget"},
		{"café", "cafe", "carafe"},
		{"登录测试不稳定", "修复登录测试", "数据库索引"},
		{"メモリの検索", "検索するメモリ", "設定ファイル"},
		{"исправить тест входа", "тесты входа исправить", "перевод руководства"},
	} {
		v := localVector(t, c.text)
		near, far := dot(v, localVector(t, c.near)), dot(v, localVector(t, c.far))
		if near < far+0.1 {
			t.Errorf("%q: %q %.3f, %q %.3f", c.text, c.near, near, c.far, far)
		}
	}
}

func TestLocalSameWord(t *testing.T) {
	for _, c := range [][2]string{
		{"Login", "login"}, {"login!", "  (login) "}, {"the login", "login"}, {"é", "e\u0301"}, {"ﾒﾓﾘ", "メモリ"},
		{"login\xff", "login"}, {"__init__", "init"}, {"don't panic", "panic"},
	} {
		if a, b := localVector(t, c[0]), localVector(t, c[1]); dot(a, b) < 0.9999 {
			t.Errorf("%q and %q: %.4f", c[0], c[1], dot(a, b))
		}
	}
	if a, b := localVector(t, "かき"), localVector(t, "がぎ"); dot(a, b) > 0.5 {
		t.Errorf("voiced and unvoiced kana: %.3f", dot(a, b))
	}
}

func TestLocalWithoutWords(t *testing.T) {
	for _, text := range []string{"", " \n", "?!", "the of and", "don't", "___", "🎉", "\xff\xfe", strings.Repeat("x", 65)} {
		if v := localVector(t, text); v != nil {
			t.Errorf("%q has a vector", text)
		}
	}
}

// A repeated word counts more, but by the logarithm of its count only.
func TestLocalTermCounts(t *testing.T) {
	word := localVector(t, "journal")
	once, often := dot(word, localVector(t, "journal snapshot")), dot(word, localVector(t, strings.Repeat("journal ", 9)+"snapshot"))
	if !(once < often && often < 0.98) {
		t.Errorf("once %.3f, nine times %.3f", once, often)
	}
}

// TestLocalLongText checks that the work for one text is bounded, for any
// length.
func TestLocalLongText(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "wort%c%c%c ", 'a'+i%26, 'a'+i/26%26, 'a'+i/676)
	}
	whole, cut := localVector(t, b.String()), localVector(t, b.String()[:localDefault.TextBytes])
	if dot(whole, cut) < 0.9999 {
		t.Errorf("the end of a long text counts: %.4f", dot(whole, cut))
	}
}

// The vectors are part of the identity: this digest holds on every system. If
// it changes, identities must change with it (constants do that by themselves,
// code does it through Version).
func TestLocalIsTheSameEverywhere(t *testing.T) {
	const want = "local/1/256/e36c67d5798c3c4f 50b6769505df04cf"
	l := newLocal(localDefault)
	texts := []string{
		"Fix the flaky login test", "auth/session.go: retryDelay in HTTPServer, parse_config twice parse_config",
		"登录测试不稳定 メモリの検索 메모리", "Ärger über naïve façade — исправить тест", strings.Repeat("many words and words ", 40),
	}
	vectors, err := l.Embed(t.Context(), Query, texts)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for _, v := range vectors {
		for _, x := range v {
			binary.Write(sum, binary.LittleEndian, math.Float32bits(x))
		}
	}
	if got := fmt.Sprintf("%s %x", l.identity, sum.Sum(nil)[:8]); got != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
}

func FuzzLocal(f *testing.F) {
	for _, text := range []string{"", "Fix a/b.go", "HTTPServer_x", "登录 é ﾒ\u3099", "\xff\xf0\x9f", "....//--a-b"} {
		f.Add(text)
	}
	l := newLocal(localDefault)
	f.Fuzz(func(t *testing.T, text string) {
		vectors, err := l.Embed(t.Context(), Document, []string{text, text})
		if err != nil {
			t.Fatal(err)
		}
		v := vectors[0]
		if v != nil && math.Abs(dot(v, vectors[1])-1) > 1e-5 {
			t.Errorf("%q: length² %v", text, dot(v, vectors[1]))
		}
		if v == nil && vectors[1] != nil || !utf8.ValidString(words.Fold(text)) {
			t.Errorf("%q: not the same twice, or not text", text)
		}
	})
}
