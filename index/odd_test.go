package index

import (
	"fmt"
	"strings"
	"testing"

	"agentflow/memory/retrieval"
)

// oddities are queries that break other search engines, each with the title
// of the entry it must find first. Titles are all in one memory.
var oddities = []struct{ query, want, body string }{
	{"what did we discuss?", "Discussed the berth map with the harbour master", "He wants zoom."},
	{"C++", "Port the tide reader to C++", "The C++ reader is three times as fast."},
	{"foo/bar", "Split foo/bar out of the monolith", "It has a module of its own."},
	{"don't", "Don't retry", "Payments are not asked for again on 409."},
	{"multi-agent", "Try a multi-agent review", "Two reviewers found more than one."},
	{"a::b", "Rename the crate path a::b", "It is re-exported."},
	{"38.101", "Frames lost since firmware 38.101", "Downgraded the radio."},
	{`"unbalanced`, "Quote marks left unbalanced by the importer", "One line in the file."},
	{"( AND OR NOT NEAR", "Teach the parser NOT and NEAR", "AND and OR were there."},
	{"-x", "Pass -x to the shell", "Every command is printed."},
	{"what is it about", "About", "What it is."},
	{strings.Repeat("lorem ipsum dolor ", 3000) + "\nsit amet", "Lorem", "Ipsum dolor sit amet."},
	{"超时", "连接超时的修复", "重试三次。"},
	{"修复 连接", "连接超时的修复", ""},
	{"タイムアウト", "予約のタイムアウトを直す", "待ち時間を三十秒にした。"},
	{"로그인", "로그인 오류 수정", "세션이 만료되었다."},
	{"🚀", "Ship it 🚀", "The release went out."},
	{"🚀🚀 release", "Ship it 🚀", ""},
	{"تسجيل الدخول", "إصلاح تسجيل الدخول", "انتهت صلاحية الجلسة."},
	{"שגיאת התחברות", "תיקון שגיאת התחברות", "פג תוקף."},
	{"NAÏVE cafés", "Naive caching for the café page", "It is rendered once a minute."},
	{"\x00\xff\xfeflaky\u202e login", "Fix the flaky login", "It raced the clock."},
	{"SELECT * FROM chunks; DROP TABLE chunks --", "Drop the table of old chunks", "SELECT showed it empty."},
	{"x\u200dy_zéro^2*", "Compute x y_zéro squared", "Numbers only."},
}

func TestOddQueries(t *testing.T) {
	for _, embedded := range []bool{false, true} {
		t.Run(fmt.Sprintf("embedded=%v", embedded), func(t *testing.T) {
			s := newStore(t)
			var text strings.Builder
			for i, o := range oddities {
				if o.body != "" {
					text.WriteString(entry(fmt.Sprintf("e%d", i), day, o.want, o.body))
				}
			}
			s.put("2026-11-21.md", text.String())
			o := Options{}
			if embedded {
				o.Embedder = inline(64)
			}
			d := s.open(o)
			s.sync(d)
			for _, o := range oddities {
				hits := search1(t, d, retrieval.Query{Text: o.query})
				if len(hits) == 0 || lastPart(hits[0].Heading) != o.want {
					t.Errorf("%.60q does not find %q first: %s", o.query, o.want, headings(t, d, retrieval.Query{Text: o.query}))
				}
			}
		})
	}
}
