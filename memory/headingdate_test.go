package memory

import (
	"testing"
	"time"
)

func TestDateInHeading(t *testing.T) {
	for s, want := range map[string]string{
		"2026-11-21":                      "2026-11-21",
		"2026/11/21":                      "2026-11-21",
		"2026/1/2 notes":                  "2026-01-02",
		"21 Nov 2026":                     "2026-11-21",
		"21st November, 2026":             "2026-11-21",
		"21. November 2026":               "2026-11-21",
		"November 21, 2026":               "2026-11-21",
		"Sept. 3 2026: release":           "2026-09-03",
		"May 1st, 2026":                   "2026-05-01",
		"Standup (2026-11-21)":            "2026-11-21",
		"2026-11-21T14:32:07Z":            "2026-11-21",
		"Ended 2026-11-21.":               "2026-11-21",
		"記録2026-11-21":                    "2026-11-21",
		"notes_2026-11-21_late":           "2026-11-21",
		"2026-13-01, later 2026-11-21":    "2026-11-21",
		"2026-02-30":                      "",
		"v2026-11-21":                     "",
		"1.2026-11-21":                    "",
		"2026-11-21-rc1":                  "",
		"2026-11-21.4":                    "",
		"2026/11/21/a.md":                 "",
		"12026-11-21":                     "",
		"2026-11-211":                     "",
		"version 2026.11.21":              "",
		"1.2.3":                           "",
		"121 Nov 2026":                    "",
		"Mayor 21, 2026":                  "",
		"32 Nov 2026":                     "",
		"10.0.2026":                       "",
		"Item 5 of 2026":                  "",
		"0000-00-00":                      "",
		"October 2026":                    "",
		"2026-11-22 and then 21 Nov 2026": "2026-11-22",
	} {
		got, ok := dateIn(s)
		if day := got.Format(time.DateOnly); ok != (want != "") || ok && day != want {
			t.Errorf("%q: %s, %v", s, day, ok)
		}
	}
}

func TestHeadingIsDate(t *testing.T) {
	for s, want := range map[string]bool{
		"2026-11-21": true, "Saturday, 21 November 2026": true, "Sat 2026/11/21 14:32": true, "2026-11-21 · 2026-11-22": true, "(November 21, 2026)": true,
		"Satellite 2026-11-21": false, "2026-11-21 Release": false, "21 Nov 2026 42": false, "Saturday": false, "Monday notes": false, "14:32": false, "": false,
	} {
		if got := (handHeading{1, s}).isDate(); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}
