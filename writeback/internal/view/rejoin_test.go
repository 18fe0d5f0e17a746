package view

import (
	"agentflow/memory"
	"agentflow/memory/markdown"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestRejoin(t *testing.T) {
	one, two := string(markdown.FormatV2(numbered(1))), string(markdown.FormatV2(numbered(2)))
	whole := "# Day\n\n" + one + two
	fresh := map[string]bool{numbered(2).ID: true}
	for name, test := range map[string]struct{ content, want string }{
		"torn":             {strings.TrimSuffix(whole, two[200:]) + "\nMine.\n", whole + "\nMine.\n"},
		"torn, and more":   {strings.TrimSuffix(whole, two[200:]) + "\nMine.\n\n" + string(markdown.FormatV2(numbered(3))), whole + "\nMine.\n\n" + string(markdown.FormatV2(numbered(3)))},
		"untouched":        {whole, ""},
		"a line behind":    {whole + "Mine.\n", ""},
		"torn at the end":  {strings.TrimSuffix(whole, two[200:]), ""},
		"a word changed":   {strings.Replace(whole, "Summary of run 2", "Summary of the run", 1), ""},
		"a line taken out": {strings.Replace(whole, "Summary of run 2.\n", "", 1), ""},
		"an older entry":   {strings.TrimSuffix(whole, one[200:]+two) + "\nMine.\n", ""},
		"the entry gone":   {strings.TrimSuffix(whole, two) + "\nMine.\n", ""},
		"nothing is left":  {"", ""},
		"a section before": {"# Day\n\n" + one + "## 2026-11-21 my notes\n\nhello\n\n" + two, ""},
		"another entry":    {"# Day\n\n" + one + string(markdown.FormatV2(numbered(3)))[:60], ""},
		"torn, in CRLF":    {strings.TrimSuffix(whole, two[200:]) + "\r\nMine.\r\n", whole + "\r\nMine.\r\n"},
		"a bullet behind":  {whole[:strings.LastIndex(whole, "- asked")] + "- my note\n", whole + "- my note\n"},
		"torn, at once another": {whole[:strings.LastIndex(whole, "- asked")] + string(markdown.FormatV2(numbered(3))),
			whole + string(markdown.FormatV2(numbered(3)))},
	} {
		got, ok := rejoin([]byte(whole), []byte(test.content), fresh)
		if string(got) != test.want || ok != (test.want != "") {
			t.Errorf("%s: %v\n%s", name, ok, got)
		}
	}
}

// numbered returns an entry that differs from others by its number.
func numbered(n int) memory.Entry {
	return memory.Entry{
		ID:   fmt.Sprintf("0199aaaa-bbbb-7ccc-8ddd-%012d", n),
		Kind: memory.KindRun, Time: time.Date(2026, 11, 21, 14, 32, 7, 0, time.FixedZone("", 3600)).Add(time.Duration(n) * time.Minute),
		Title: fmt.Sprintf("Task number %d", n), Task: fmt.Sprintf("Task number %d\nin two lines", n),
		Result:  &memory.Result{Outcome: memory.OutcomeOK, Success: true, Duration: time.Second},
		Summary: fmt.Sprintf("Summary of run %d.", n),
	}
}
