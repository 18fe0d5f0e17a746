package explain

import "testing"

func TestOnlyPlans(t *testing.T) {
	said := []Message{
		asked("how do we number the files?"),
		wrote(final("I've updated the plan: names should come from a counter, because clocks jump.\n\nThe issue is that two writers share a file.")),
	}
	for name, c := range map[string]struct {
		files []string
		want  string
	}{
		"a plan":            {[]string{"docs/plans/names.md"}, "Plans changed. I've updated the plan: names should come from a counter, because clocks jump. The issue is that two writers share a file."},
		"a plan and a file": {[]string{"docs/plans/names.md", "open.go"}, "I've updated the plan: names should come from a counter, because clocks jump. The issue is that two writers share a file."},
		"a program":         {[]string{"plans/names.go"}, "I've updated the plan: names should come from a counter, because clocks jump. The issue is that two writers share a file."},
	} {
		if got := Summary(said, c.files); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := Summary(nil, []string{"docs/plans/names.md"}); got != "" {
		t.Errorf("without a message: %s", got)
	}
}

const storePlan = `# Plan: Write entries to one file

> For the agent: follow the skill.

**Tech Stack:** Go

## Context

Two writers share a file, so entries of both are mixed. The lock is per entry, and a list needs more.

## Changes

### 1. Add ` + "`lock.go`" + `

` + "```go" + `
# Not a heading
` + "```" + `

The lock spans the list.

### 2. Take the lock in ` + "`Append`" + `
`

func TestPlanned(t *testing.T) {
	plan := Message{Text: storePlan, Turn: 0, Plan: true}
	acted := plan
	acted.Acted = true
	thought := Message{Text: "The writers could use a queue, because it keeps the order."}
	for name, c := range map[string]struct {
		said  []Message
		files []string
		want  string
	}{
		"nothing but the plan": {
			[]Message{asked("entries are mixed"), thought, plan}, nil,
			"Planned: Write entries to one file. Two writers share a file, so entries of both are mixed. The lock is per entry, and a list needs more. Steps: Add `lock.go`; Take the lock in `Append`.",
		},
		"with a commit": {
			append(committed("The log is now described, because readers asked for a list."), plan), nil,
			"The log is now described, because readers asked for a list. Planned next: Write entries to one file.",
		},
		"work with unknown files": {
			[]Message{asked("entries are mixed"), wrote(final("Added a lock for the whole list of entries, because two writers share it.")), acted}, nil,
			"Added a lock for the whole list of entries, because two writers share it.",
		},
		"then work that gives no cause": {
			[]Message{asked("entries are mixed"), wrote(final("Added a lock for the whole list of entries.")), acted}, []string{"lock.go"},
			"Added a lock for the whole list of entries. Two writers share a file, so entries of both are mixed.",
		},
		"behind the work": {
			[]Message{asked("sort the list"), wrote(final("Sorted the list, because readers expect the newest first.")), plan}, []string{"list.go"},
			"Sorted the list, because readers expect the newest first. Planned next: Write entries to one file.",
		},
	} {
		if got := Summary(c.said, c.files); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
	for summary, want := range map[string]string{
		"Planned: Write entries to one file. Two writers share a file.":   "Write entries to one file.",
		`Planned: Asked: "One lock." Write entries to one file. Lock it.`: "Write entries to one file.",
		"Planned:  ": "",
	} {
		if got := Done(summary); got != want {
			t.Errorf("the title of %q is %q, want %q", summary, got, want)
		}
	}
}

func TestOutline(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"# Plan\n\nDo it later.": "Do it later.",
		"# Numbered Names Implementation Plan\n\n**Goal:** Number the files, so that names sort.\n\n## Phase 1: Count\n\n## Phase 2: Rename\n\n## Verification\n\nRun the tests.": "Numbered Names. Number the files, so that names sort. Steps: Count; Rename.",
		"# The new names\n\n## 1.\n\n~~~\n## 1. Not a step\n## 2. Nor this one\n~~~":                                                                                              "The new names.",
		"Do this:\n\n1. First\n2. Second": "Do this: First; Second.",
	} {
		title, purpose, steps := outline(text)
		got := (&picker{}).text()
		for _, u := range append(append(title, purpose...), steps...) {
			if got != "" {
				got += " "
			}
			got += u.text
		}
		if got != want {
			t.Errorf("%q:\n%s\nwant\n%s", text, got, want)
		}
	}
}

func FuzzOutline(f *testing.F) {
	f.Add(storePlan)
	f.Add("#\n##1.\n```\n# x")
	f.Fuzz(func(t *testing.T, text string) {
		Summary([]Message{{Text: text, Plan: true}}, nil)
	})
}
