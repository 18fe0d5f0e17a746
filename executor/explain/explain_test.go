package explain

import (
	"strings"
	"testing"
)

func final(text string) Message   { return Message{Text: text, Final: true} }
func asked(text string) Message   { return Message{Text: text, Asked: true} }
func between(text string) Message { return Message{Text: text} }

// wrote returns a message after files were written.
func wrote(m Message) Message {
	m.Wrote = true
	return m
}

// in puts a message into a turn.
func in(turn int, m Message) Message {
	m.Turn = turn
	return m
}

// committed returns the messages of commits with a subject that says the change.
func committed(bodies ...string) []Message {
	var list []string
	for _, body := range bodies {
		list = append(list, "Number the files\n\n"+body)
	}
	return Commits(list)
}

// TestCommits checks which parts of commit messages a summary contains.
func TestCommits(t *testing.T) {
	const body = "Two writers shared a file and overwrote each other, because names came from the clock. Names now come from a counter."
	const long = "The parser is split because it was too long to be read by anyone in one sitting. "
	const rest = "Numbers, strings, lists, calls, operators, loops, branches, types, imports and comments have one file each, and another one joins them all for those that call the parser as one."
	for name, c := range map[string]struct {
		bodies []string
		said   string
		want   string
	}{
		"explains the change": {[]string{body}, "Done. Names of files come from a counter now.", body},
		"without trailers": {[]string{body + "\n\nFixes review comments #5 and #6.\n\n🤖 Generated with [A Tool](https://a.example)\n\nCo-Authored-By: A <a@b.example>\nEntire-Checkpoint: 12"},
			"Committed.", body},
		"a reason with an issue": {[]string{"Closes #12: names came from a clock that jumps."}, "Done.", "Number the files. Closes #12: names came from a clock that jumps."},
		"wrapped lines, bullets and tests": {[]string{"The old table was\nbuilt at every start, which cost a second.\n\n- Write it\n  once\n- Add unit tests for the table"}, "Done.",
			"The old table was built at every start, which cost a second. Write it once. Add unit tests for the table."},
		"of two commits":                   {[]string{long + rest, body}, "Done.", "Number the files. " + long + rest + " " + body},
		"the longest first":                {[]string{body, long + rest}, "Done.", "Number the files. " + long + rest + " " + body},
		"the change behind a long problem": {[]string{"Writers shared a file. Each of them overwrote it at its end and left the rest of it behind. Readers saw" + strings.Repeat(" a", 55) + " half. Names" + strings.Repeat(" b", 20) + " now come from a counter."}, "Done.", "Writers shared a file. Each of them overwrote it at its end and left the rest of it behind. Names" + strings.Repeat(" b", 20) + " now come from a counter."},
		"a reference to a long sentence":   {[]string{"Lists" + strings.Repeat(" one", 60) + ". They are sorted because people look for names.", body}, "Done.", "Number the files. " + body},
		"a change in a later paragraph":    {[]string{"Writers shared a file. Readers saw" + strings.Repeat(" a", 40) + " half. Clocks went" + strings.Repeat(" b", 40) + " back.\n\nDraw names from a counter. Its state is a file."}, "Done.", "Number the files. Writers shared a file. Readers saw" + strings.Repeat(" a", 40) + " half. Draw names from a counter. Its state is a file."},
		"an item that is cut":              {[]string{"Files were read twice.\n\nSkip the check when:\n- the file is ours" + strings.Repeat(" a", 40) + "\n- the clock is right"}, "Done.", "Number the files. Files were read twice."},
		"with what is left":                {[]string{body}, "Committed. The Windows build was not tested.", body + " The Windows build was not tested."},
		"with a condition":                 {[]string{body}, "Committed. If CI is slow, that is a pre-existing limitation of it.", body},
		"with what failed":                 {[]string{body}, "Committed. 3 tests of `counter.go` still fail.", body + " 3 tests of `counter.go` still fail."},
		"with a change that it leaves out": {[]string{body}, "Added `limits.go` with the bounds of uploads.", body + " Added `limits.go` with the bounds of uploads."},
		"with a choice that it has":        {[]string{body}, "Chose a counter of names rather than the shared clock.", body},
		"with a change and its way":        {[]string{body}, "Rewrote the sums instead of patching them. Added `counter.go` which numbers the files.", body},
		"that explains nothing":            {[]string{"Pick from main."}, "`counter.go` numbers files, because clocks jump.", "Number the files. Pick from main. `counter.go` numbers files, because clocks jump."},
		"a commit with only trailers":      {[]string{long + rest + " They are small, so that people read them to their end and find their faults.", "Tag-of: x"}, "Done.", "Number the files. " + long + rest + " They are small, so that people read them to their end and find their faults."},
		"labels of findings":               {[]string{"H1: Wrap the keys again\nM2: Clear the keys"}, "Done.", "Number the files. H1: Wrap the keys again. M2: Clear the keys."},
		"code at the start of a line":      {[]string{"A failure of the check ended the loop. Now uses\n|| true to stay in it."}, "Done.", "A failure of the check ended the loop. Now uses || true to stay in it."},
		"a comment within a sentence":      {[]string{"Files were joined with a\n<!-- Merged --> separator, so sections came twice. Merge them now."}, "Done.", "Files were joined with a <!-- Merged --> separator, so sections came twice. Merge them now."},
		"a mark that is shown":             {[]string{"Bold text was shown with ** around it. It is now **bold**."}, "Done.", "Bold text was shown with ** around it. It is now bold."},
		"none":                             {nil, "`counter.go` numbers files, because clocks jump.", "`counter.go` numbers files, because clocks jump."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Summary(append(committed(c.bodies...), wrote(final(c.said))), nil); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestSummary(t *testing.T) {
	const recipients = "The error for an unknown recipient now lists the accepted prefixes. Kept `%q` in the message because usage.txt matches on it. The testscript suite was not run."
	for name, c := range map[string]struct {
		said  []Message
		files []string
		want  string
	}{
		"a closing commit": {[]Message{
			between("Let me look at how recipients are parsed."),
			wrote(final(recipients)),
			in(1, final("Committed as \"cmd/age: name the accepted prefixes\".")),
		}, []string{"cmd/age/parse.go"}, recipients},
		"a consequence that the commit does not mention": {append(Commits([]string{"Say in the docstring that XDG_CONFIG_HOME is honoured\n\nUsers asked why ~/.config/black is not read, because the docstring did not name the variable."}),
			wrote(final("Done: the docstring names `XDG_CONFIG_HOME`. The result is cached by `lru_cache`, so tests that set it have to call `cache_clear()` first."))), []string{"files.py"},
			"Say in the docstring that XDG_CONFIG_HOME is honoured. Users asked why ~/.config/black is not read, because the docstring did not name the variable. The result is cached by `lru_cache`, so tests that set it have to call `cache_clear()` first."},
		"a cause found before the edits": {[]Message{
			between("The problem is that `Parse` reads the index before the lock is held. Let me move the lock."),
			wrote(final("Moved the lock of the index to the beginning of `Parse`.")),
		}, []string{"parse.go"}, "Before: `Parse` reads the index before the lock is held. Moved the lock of the index to the beginning of `Parse`."},
		"a closing commit of a run that wrote by commands": {[]Message{final(recipients), in(1, final("Committed as `9db68aa`."))}, nil, recipients},
		"what is left comes last": {[]Message{
			wrote(final("The cache is keyed by content now, because mtimes lie on network drives. I decided against a watcher: it leaks handles.")),
			in(1, final("Pushed. The Windows build was not tested.")),
		}, []string{"cache.go"},
			"The cache is keyed by content now, because mtimes lie on network drives. I decided against a watcher: it leaks handles. The Windows build was not tested."},
		"a rejected way earlier": {[]Message{
			between("Tried a regular expression instead of the scanner, it broke on nested quotes."),
			final("The scanner handles nested quotes now and the tests pass on all platforms that we build for."),
		}, nil,
			"Tried a regular expression instead of the scanner, it broke on nested quotes. The scanner handles nested quotes now and the tests pass on all platforms that we build for."},
		"the plan of an earlier turn": {[]Message{
			final("A lookup table would be faster. It should be generated at build time.\n\nShall I write it?"),
			in(1, wrote(final("Added the lookup table in `table.go`."))),
		}, []string{"table.go"}, "Added the lookup table in `table.go`."},
		"the diagnosis before the change": {[]Message{
			between("The issue is that `Open` never creates the folder, so the first start fails. Let me fix this."),
			between("Now add the call."),
			wrote(final("Done. Added `MkdirAll` to `open.go`.")),
		}, []string{"open.go"}, "Before: `Open` never creates the folder, so the first start fails. Added `MkdirAll` to `open.go`."},
		"the diagnosis in the talk before": {[]Message{
			final("This is a bug - the second writer overwrites the first one's file."),
			in(1, wrote(final("`store.go` numbers the files of writers."))),
		}, []string{"store.go"}, "Before: The second writer overwrites the first one's file. `store.go` numbers the files of writers."},
		"each turn": {[]Message{
			wrote(final("Removed the unused wrappers from `text.go`.")),
			in(1, wrote(final("All tests pass. The timeout in `fetch.go` is two minutes now, otherwise a dead proxy hangs the build."))),
		}, nil, "Removed the unused wrappers from `text.go`. The timeout in `fetch.go` is two minutes now, otherwise a dead proxy hangs the build."},
		"a change that was taken back": {[]Message{
			wrote(final("Added `run.lock` to the ignored files.")),
			in(1, between("Good point. Let me revert my change.")),
			in(1, wrote(final("`setup.go` ignores `run.lock` for every user now."))),
		}, nil, "`setup.go` ignores `run.lock` for every user now."},
		"a claim that was withdrawn": {[]Message{
			wrote(final("Added a retry with a pause to `fetch.go`. The proxy is read from the settings now.")),
			in(1, wrote(final("Reverted the retry with its pause in `fetch.go`, since it hid the real error."))),
		}, []string{"fetch.go"}, "The proxy is read from the settings now. Reverted the retry with its pause in `fetch.go`, since it hid the real error."},
		"failing tests in a later turn": {[]Message{
			wrote(final("`fetch.go` waits for the proxy, because it starts late.")),
			in(1, final("Two tests of `fetch.go` fail on Windows.")),
		}, []string{"fetch.go"}, "`fetch.go` waits for the proxy, because it starts late. Two tests of `fetch.go` fail on Windows."},
		"said again": {[]Message{
			wrote(final("Fixed the rounding of `price.go` because cents were lost.")),
			in(1, wrote(final("Fixed the rounding of `price.go` because cents were lost. Renamed `Sum` to `Total`."))),
		}, nil, "Fixed the rounding of `price.go` because cents were lost. Renamed `Sum` to `Total`."},
		"a summary of lists": {[]Message{wrote(final(`Perfect! All tests pass. Here's a summary of the changes:

## Changes made

**` + "`cmd/lex.go`" + `**
- Reads runes instead of bytes, since identifiers may be Greek and the old table had no room for them
- Added import for unicode

### 2. Removed the table

It was generated at every start.

**Kept:**
- the colours ✅
- the order of columns

The output now looks like this:
` + "```\nα\n```" + `

| File | Change |
|------|--------|
| parse.go | Builds the tree from runes |

Would you like me to commit this?`))}, []string{"cmd/lex.go"},
			"`cmd/lex.go`: Reads runes instead of bytes, since identifiers may be Greek and the old table had no room for them; Added import for unicode. Removed the table: It was generated at every start. Kept: the colours; the order of columns. parse.go: Builds the tree from runes."},
		"a sentence that depends on another": {[]Message{wrote(final("`start.go` opens the port first. This keeps two servers from sharing a file. That is all."))}, nil,
			"`start.go` opens the port first. This keeps two servers from sharing a file. That is all."},
		"items on checks":         {[]Message{wrote(final("`lock.go` reads the clock of the disk:\n- Linter passes (0 issues)\n- Two clocks never agree\n- All tests pass"))}, nil, "`lock.go` reads the clock of the disk: Two clocks never agree."},
		"a question with choices": {[]Message{wrote(final("`plan.md` holds the steps. Should we:\n- Merge it into main at once\n- Keep the branch"))}, nil, "`plan.md` holds the steps."},
		"choices for the person":  {[]Message{wrote(final("`plan.md` holds the steps. Which way?\n\nTwo options:\n- Merge it into main at once\n- Keep the branch"))}, nil, "`plan.md` holds the steps."},
		"work in passing": {[]Message{
			wrote(between("The problem is that the table is shadowed by a local one.")),
			wrote(final("`Round` returns halves to even.")),
		}, nil, "`Round` returns halves to even."},
		"a report with the commit": {[]Message{
			wrote(final("All tests pass. Shall I commit?")),
			in(1, final("Committed and pushed.\n\n- `Move` keeps the old file on failure, because renames are not atomic here")),
		}, nil, "`Move` keeps the old file on failure, because renames are not atomic here."},
		"a sentence before a list": {[]Message{wrote(final("The port is checked. `serve.go` now has three limits:\n- ten seconds to read\n- a minute to write\n- a mebibyte of headers"))}, nil,
			"The port is checked. `serve.go` now has three limits: ten seconds to read; a minute to write; a mebibyte of headers."},
		"no report": {[]Message{
			between("I'll add a case for `ParseID` with an empty string."),
			wrote(between("Good. Now let me run it.")),
			wrote(final("All 6 comments have been addressed in `4be1c90`.")),
		}, nil, ""},
		"the person's reason": {[]Message{asked("Use one log. Every session opens its own file, so users of tail follow the wrong one."), wrote(final("`log.go` writes to one file now."))}, []string{"log.go"},
			"Asked: \"Every session opens its own file, so users of tail follow the wrong one.\" `log.go` writes to one file now."},
		"what does not work": {[]Message{asked("Look at the log. The `tail` of the first session does not end, and the second one isn't shown in it."), wrote(final("`log.go` writes to one file now."))}, []string{"log.go"},
			"Asked: \"The `tail` of the first session does not end, and the second one isn't shown in it.\" `log.go` writes to one file now."},
		"the context of a plan": {[]Message{asked("Implement this plan:\n\n# One log\n\n## Context\n\nThe \"log\" is split \"by session.\" The operator wants to follow one file.\n\n## Changes\n\n- `log.go` opens one file, so that nothing is missing\n\n## Verification\n\n- Run the program twice to ensure that one file holds the lines of both"), wrote(final("`log.go` writes to one file now. It avoids a lock.")), in(1, asked("commit"))}, []string{"log.go"},
			"Asked: \"The 'log' is split 'by session.' The operator wants to follow one file.\" `log.go` writes to one file now. It avoids a lock."},
		"a context that the agent repeats": {[]Message{asked("# One log\n\n## Problem\n\nOperators cannot follow several sessions."), wrote(final("`log.go` writes to one file now, because operators cannot follow several sessions."))}, []string{"log.go"},
			"`log.go` writes to one file now, because operators cannot follow several sessions."},
		"a commit and a context": {append(committed("Write to one file instead of one for each session, and open it in every process that needs it for as long as it runs."), asked("# One log\n\n## Context\n\nOperators cannot follow several sessions."), wrote(final("Committed."))), []string{"log.go"},
			"Write to one file instead of one for each session, and open it in every process that needs it for as long as it runs. Asked: \"Operators cannot follow several sessions.\""},
		"a commit and a request": {append(committed("Write to one file instead of one for each session, and open it in every process that needs it for as long as it runs."), asked("Use one log. Every session opens its own file, so users of tail follow the wrong one."), wrote(final("Committed."))), []string{"log.go"},
			"Write to one file instead of one for each session, and open it in every process that needs it for as long as it runs."},
		"the checks of a plan":        {[]Message{asked("Use one log.\n\n## Context\n\nSee above.\n\n## Verification\n\n- Run the program twice to ensure that one file holds the lines of both"), wrote(final("`log.go` writes to one file now."))}, []string{"log.go"}, "`log.go` writes to one file now."},
		"options in a list":           {[]Message{wrote(final("- **Option A**: Keep the names. Less churn, but `log.go` lies.\n- **Option B**: Rename them all.\n\n`log.go` writes to one file now."))}, []string{"log.go"}, "`log.go` writes to one file now."},
		"a sentence behind a heading": {[]Message{wrote(final("**Summary**: Added `open` to `log.go`. This keeps one file."))}, []string{"log.go"}, "Added `open` to `log.go`. This keeps one file."},
		"a context with the reason at its end": {[]Message{asked("# One log\n\n## Context\n\n" + "The server opens" + strings.Repeat(" one", 48) + " file.\n\nThe problem: `tail` follows the first."), wrote(final("`log.go` writes to one file now."))}, []string{"log.go"},
			"Asked: \"The problem: `tail` follows the first.\" `log.go` writes to one file now."},
		"options": {[]Message{asked("Use one log. Every session opens its own file, so users of tail follow the wrong one."), wrote(final("Great point! For the log, I can think of a few options:\n\n**Option 1:** One file was created for all\n```\nx\n```\n\n**Option 2:** A file is merged at the end\n\nWhich do you prefer?"))}, []string{"log.go"},
			"Asked: \"Every session opens its own file, so users of tail follow the wrong one.\""},
		"an experiment before the commit": {append(committed("Write to one file instead of one for each session, so that people can follow it."), wrote(final("The trace of `log.go` should now show two writes. It must not end early, and the second open fails.")), in(1, wrote(final("Removed the trace of `log.go`.")))), []string{"log.go"},
			"Write to one file instead of one for each session, so that people can follow it. Removed the trace of `log.go`."},
		"a state that ended":         {[]Message{wrote(final("`log.go` writes to one file now. The changes remain uncommitted in the working tree."))}, []string{"log.go"}, "`log.go` writes to one file now."},
		"research before the change": {[]Message{final("The other tool now keeps notes, which were added for rebases."), in(1, wrote(final("`log.go` writes to one file now.")))}, []string{"log.go"}, "`log.go` writes to one file now."},
		"a problem with a label":     {[]Message{asked("Use one log. Every session opens its own file, so users of tail follow the wrong one."), wrote(final("Problem: `tail` follows one file. `log.go` writes to one now."))}, []string{"log.go"}, "Problem: `tail` follows one file. `log.go` writes to one now."},
		"a boxed remark":             {[]Message{wrote(final("`log.go` writes to one file now.\n\n★ Insight ─────────\nFiles are cheap here.\n─────────"))}, []string{"log.go"}, "`log.go` writes to one file now. Files are cheap here."},
		"a sentence around code":     {[]Message{wrote(final("`log.go` prints\n```\none\n```\nand was changed to end there.\n\n`log.go` writes to one file now."))}, []string{"log.go"}, "`log.go` prints. `log.go` writes to one file now."},
		"an aside":                   {[]Message{wrote(final("`log.go` writes to one file now. (The old `log.go` was removed.)"))}, []string{"log.go"}, "`log.go` writes to one file now."},
		"a reason from the talk before": {[]Message{final("Readers of the first file stop early, because sessions rotate."), in(1, asked("do it")), in(1, wrote(final("`log.go` writes to `out` now.")))}, []string{"log.go"},
			"Readers of the first file stop early, because sessions rotate. `log.go` writes to `out` now."},
		"a link in backticks": {[]Message{wrote(final("`log.go` writes links as `[name](path)` now."))}, []string{"log.go"}, "`log.go` writes links as `[name](path)` now."},
		"a link":              {[]Message{wrote(final("Compiles cleanly. [`log.go`](cmd/log.go#L3) writes to one file now."))}, []string{"log.go"}, "`log.go` writes to one file now."},
		"a glob in backticks": {[]Message{wrote(final("**Globs** of `find.go` now match `**/*.md`, so **`docs/**`** is read."))}, []string{"find.go"}, "Globs of `find.go` now match `**/*.md`, so `docs/**` is read."},
		"items behind a dash": {[]Message{wrote(final("**`log.go`** —\n- Added a prefix\n- Removed the second file"))}, []string{"log.go"}, "`log.go` — Added a prefix; Removed the second file."},
		"the agent's own":     {[]Message{asked("Use one log. Every session opens its own file, so users of tail follow the wrong one."), wrote(final("`log.go` writes to one file now, because tail follows one."))}, []string{"log.go"}, "`log.go` writes to one file now, because tail follows one."},
		"without a change":    {[]Message{asked("Look at the log. Every session opens its own file, so users of tail follow the wrong one."), final("The log is opened by `log.go` in every session.")}, nil, "The log is opened by `log.go` in every session."},
		"a line of a log":     {[]Message{asked("This happens. 2026-02-13 ERROR the command never ended, so it failed after 59ms."), wrote(final("`log.go` writes to one file now."))}, []string{"log.go"}, "`log.go` writes to one file now."},
		"only the person":     {[]Message{asked("Use one log. Every session opens its own file, so users of tail follow the wrong one.")}, []string{"log.go"}, "Asked: \"Every session opens its own file, so users of tail follow the wrong one.\""},
		"what the person denies": {[]Message{final("The main branch has no commits in `list.go`, since merges never carry trailers."), in(1, asked("That is wrong, I can see them.")), in(1, wrote(final("Raised the limit of `list.go` to 200, which hid older commits of the main branch.")))}, []string{"list.go"},
			"Raised the limit of `list.go` to 200, which hid older commits of the main branch."},
		"what code completes": {[]Message{wrote(final("The updated `log.go` will now show:\n\n```\none\n```\n\nAdded a prefix to `log.go` because sessions share it."))}, []string{"log.go"}, "Added a prefix to `log.go` because sessions share it."},
		"tests, too":          {[]Message{wrote(final("Added `TestRound`. `Round` never returns a negative zero now."))}, []string{"round.go"}, "Added `TestRound`. `Round` never returns a negative zero now."},
		"only tests":          {[]Message{wrote(final("Added `TestRound` for the halves."))}, []string{"round_test.go"}, "Added `TestRound` for the halves."},
		"German": {[]Message{wrote(final("Die Meldung nennt jetzt die erlaubten Präfixe, weil niemand sie kennt. Der Rest bleibt."))}, nil,
			"Die Meldung nennt jetzt die erlaubten Präfixe, weil niemand sie kennt. Der Rest bleibt."},
		"Chinese":        {[]Message{wrote(final("错误信息现在列出允许的前缀。因为用户不知道它们。"))}, nil, "错误信息现在列出允许的前缀。 因为用户不知道它们。"},
		"only narration": {[]Message{between("Let me check the tests.")}, nil, ""},
		"only a closing": {[]Message{final("Done.")}, nil, ""},
		"thanks":         {[]Message{wrote(final("`serve.go` waits for the port, because it opens late.")), in(1, final("You're welcome!"))}, nil, "`serve.go` waits for the port, because it opens late."},
		"only thanks":    {[]Message{final("You are welcome.")}, nil, ""},
		"a heading":      {[]Message{wrote(final("## Summary\n\n`serve.go` waits for the port."))}, nil, "`serve.go` waits for the port."},
		"nothing":        {nil, nil, ""},
		"abbreviations":  {[]Message{final("Supports tables, e.g. TOML. Parses YAML i.e. its subset.")}, nil, "Supports tables, e.g. TOML. Parses YAML i.e. its subset."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Summary(c.said, c.files); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestLong holds the bounds, and that the reason stays when other sentences go.
func TestLong(t *testing.T) {
	var text strings.Builder
	text.WriteString("Made the migration reversible.")
	for _, table := range strings.Fields("accounts orders invoices carts letters parcels returns prices discounts vouchers baskets stocks shelves labels") {
		text.WriteString(" Moved the " + table + " into rows of one of the new tables for good.")
	}
	text.WriteString(" Chose a view instead of a trigger because triggers hide writes.")
	got := Summary([]Message{final(text.String())}, nil)
	if n := len(strings.Fields(got)); n > MaxWords || !strings.HasPrefix(got, "Made the migration") || !strings.HasSuffix(got, "hide writes.") {
		t.Errorf("%d words: %s", n, got)
	}
	reason := asked("Split it. Writes are slow because" + strings.Repeat(" one", 38) + ".")
	files := []string{"x.go"}
	if with, without := Summary([]Message{reason, wrote(final(text.String()))}, files), Summary([]Message{wrote(final(text.String()))}, files); with != without {
		t.Errorf("a quote that is left out takes room:\n%s\n%s", with, without)
	}
	if got := Summary([]Message{final(strings.Repeat("word ", 500))}, nil); len(strings.Fields(got)) != MaxWords || !strings.HasSuffix(got, "…") {
		t.Errorf("%d words", len(strings.Fields(got)))
	}
}

func TestExplains(t *testing.T) {
	for summary, want := range map[string]bool{
		"": false, "Done.": false, "Yes, that works.": false,
		"We keep SQLite, because the tool has to work without a server on every laptop.": true,
	} {
		if got := Explains(summary); got != want {
			t.Errorf("%q: %v", summary, got)
		}
	}
}

func FuzzSummary(f *testing.F) {
	f.Add("# A\n\n- b\n- c\n\n```\nd\n", "x.go")
	f.Add("**Fixed:**\n1. `a.go`\n   - x:\n\n| a | b |\n|---|---|\n| c | d |\n", "a_test.go")
	f.Add("# A\n\n## Context\n\n"+strings.Repeat("A \"b\" of c is d. ", 20)+"\n\n## Fix\n\n"+strings.Repeat("`x.go` was added here once. ", 20), "x.go")
	f.Fuzz(func(t *testing.T, text, file string) {
		said := []Message{asked(text), final(text), in(1, asked(text)), in(1, between(text)), in(1, wrote(final(text)))}
		for _, said := range [][]Message{said, append(Commits([]string{text}), said...), append(committed(strings.Repeat("One thing instead. ", 40)), said...)} {
			got := Summary(said, []string{file})
			if n := len(strings.Fields(got)); n > MaxWords || strings.Contains(got, "\n") {
				t.Fatalf("%d words: %q", n, got)
			}
		}
	})
}
