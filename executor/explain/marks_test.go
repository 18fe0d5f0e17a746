package explain

import (
	"strings"
	"testing"
)

func TestWithoutMarks(t *testing.T) {
	for text, want := range map[string]string{
		"**Fixed** the **lock**: it was __never held__.":  "Fixed the lock: it was never held.",
		"**`run.go`**: holds the lock":                    "`run.go`: holds the lock",
		"**Summary:**":                                    "Summary:",
		"FunctionAuth is in __all__ of httpx/__init__.py": "FunctionAuth is in __all__ of httpx/__init__.py",
		"request(**kwargs) passes **options on":           "request(**kwargs) passes **options on",
		"all://**.example.com and all://**.example.org":   "all://**.example.com and all://**.example.org",
		"2 ** 3 ** 4":                                "2 ** 3 ** 4",
		"f(**a, **b)":                                "f(**a, **b)",
		"`**kept**` and **not this**":                "`**kept**` and not this",
		"one ` backtick and **two words**":           "one ` backtick and two words",
		"✅ done, see [the notes](https://a.example)": " done, see the notes",
		"src/**/*.go and **bold**":                   "src/**/*.go and bold",
		"":                                           "",
		"**原因**：锁没有释放":                               "原因：锁没有释放",
		"修复了**锁**的问题":                                "修复了锁的问题",
		"“**quoted**” and (**in brackets**)":         "“quoted” and (in brackets)",
		"a ** b":                                     "a ** b",
	} {
		if got := withoutMarks(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestHeadingInBold checks that a heading with a number and a bold text loses both marks.
func TestHeadingInBold(t *testing.T) {
	if list := blocks("### 2. **Updated the hooks**\nIn `run.go`."); len(list) != 2 || list[0].text != "Updated the hooks:" {
		t.Errorf("%+v", list)
	}
}

// FuzzWithoutMarks checks that only marks, links and symbols are removed: no other character is lost or moved.
func FuzzWithoutMarks(f *testing.F) {
	f.Add("**a** `__b__` c__d__e ** f **g")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "[]()\x00") || symbols.Replace(text) != text {
			t.Skip()
		}
		bare := strings.NewReplacer("*", "", "_", "")
		if got := withoutMarks(text); bare.Replace(got) != bare.Replace(text) {
			t.Errorf("%q: %q", text, got)
		}
	})
}
