package agentdocs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// place makes files below a home with a work tree in it.
func place(t *testing.T, files map[string]string) Place {
	t.Helper()
	home := t.TempDir()
	p := Place{Home: home, Claude: filepath.Join(home, ".claude"), Top: filepath.Join(home, "src", "shop.d"), Main: filepath.Join(home, "src", "shop.d")}
	p.Dir = filepath.Join(p.Top, "web")
	for name, text := range files {
		name = filepath.Join(home, strings.ReplaceAll(name, "SLUG", slug(p.Top)))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// A file contains a statement if a sentence has its words in their order, the same number of
// negations, and no additional limits.
func TestSays(t *testing.T) {
	p := place(t, map[string]string{"src/shop.d/CLAUDE.md": `# Shop

- Use pnpm, never npm.
- Run the tests with ` + "`uv run pytest -q`" + ` before you commit.
- Never push to main. Releases are cut by the release workflow on
  Fridays.
- Use tabs only in Makefiles.
- ~~Deploy with Fabric.~~
<!-- Use yarn for scripts. -->

## Do not

- Edit generated files by hand
- Commit lock files

Error messages are plain ASCII, as the Windows console breaks on other characters.
Use 2 spaces for indentation.
`})
	texts := Read("claude", p)
	for fact, want := range map[string]bool{
		"Use pnpm, never npm": true, "use `pnpm`, never `npm`!": true, "Use npm, never pnpm.": false, "Use npm.": false, "Never use pnpm.": false, "Use pnpm": false,
		"Run the tests with uv run pytest -q before you commit": true, "Run the tests with uv run pytest -x before you commit": false,
		"Push to main": false, "Never push to main.": true, "Don't push to main": true,
		"Releases are cut by the release workflow on Fridays.": true, "Releases are made on Fridays": false, "Use tabs in Makefiles": false,
		"Deploy with Fabric.": false, "Use yarn for scripts.": false, "Edit generated files by hand": false, "Never edit generated files by hand": true, "Commit lock files": false,
		"Error messages are plain ASCII, as the Windows console breaks on other characters": true, "Use 4 spaces for indentation": false, "Use 2 spaces for indentation": true,
		"Never push to main. Use pnpm, never npm.": true, "Never push to main. Use bun.": false, "": false, "Fridays": false,
	} {
		if file, ok := texts.Says(fact); ok != want || ok && file != "CLAUDE.md" {
			t.Errorf("%q: %v in %q", fact, ok, file)
		}
	}
}

// Each agent reads different files.
func TestFilesOfAgents(t *testing.T) {
	p := place(t, map[string]string{
		".claude/CLAUDE.md":                            "Answer in German sentences.",
		".claude/rules/style.md":                       "Prefer small functions everywhere.",
		".claude/rules/paths.md":                       "---\npaths: [\"*.ts\"]\n---\nPrefer zod schemas.",
		"src/CLAUDE.md":                                "Parents count too.",
		"src/shop.d/CLAUDE.md":                         "See @docs/rules.md and @~/mine.md for more.",
		"src/shop.d/docs/rules.md":                     "Imported rules count. @../CLAUDE.md",
		"mine.md":                                      "Imports from home count.",
		"src/shop.d/CLAUDE.local.md":                   "Local files count.",
		"src/shop.d/web/.claude/CLAUDE.md":             "Folders below count.",
		"src/shop.d/api/CLAUDE.md":                     "Other folders differ.",
		"src/shop.d/AGENTS.md":                         "Agents read this file.",
		".codex/AGENTS.md":                             "Codex reads its own.",
		".claude/projects/SLUG/memory/MEMORY.md":       "- [Use pnpm, never npm](use_pnpm.md) — see there\n- Tests need Docker running.\n",
		".claude/projects/SLUG/memory/use_pnpm.md":     "---\nname: use-pnpm\n---\n\nThe lock file is of pnpm.\n",
		".claude/projects/-elsewhere/memory/MEMORY.md": "- Another project differs.\n",
	})
	for agent, want := range map[string]map[string]string{
		"claude": {"Answer in German sentences": "~/.claude/CLAUDE.md", "Prefer small functions everywhere": "~/.claude/rules/style.md", "Prefer zod schemas": "", "Parents count too": "~/src/CLAUDE.md",
			"Imported rules count": "docs/rules.md", "Imports from home count": "~/mine.md", "Local files count": "CLAUDE.local.md", "Folders below count": "web/.claude/CLAUDE.md",
			"Other folders differ": "", "Agents read this file": "", "Tests need Docker running": "Claude's auto memory", "The lock file is of pnpm": "", "Another project differs": ""},
		"codex":    {"Agents read this file": "AGENTS.md", "Codex reads its own": "~/.codex/AGENTS.md", "Parents count too": "", "Tests need Docker running": ""},
		"opencode": {"Agents read this file": "AGENTS.md", "Codex reads its own": ""},
		"other":    {"Agents read this file": "", "Parents count too": ""},
	} {
		texts := Read(agent, p)
		for fact, file := range want {
			if got, _ := texts.Says(fact); got != file {
				t.Errorf("%s: %q is said by %q, want %q", agent, fact, got, file)
			}
		}
	}
	if texts := Read("claude", p); !texts.Reads(filepath.Join(p.Top, "docs", "rules.md")) || texts.Reads(filepath.Join(p.Top, "AGENTS.md")) {
		t.Error("the files that were read")
	}
}

// The auto memory is an index of links to files with front matter, as Claude writes them.
func TestRemember(t *testing.T) {
	p := place(t, map[string]string{
		".claude/projects/SLUG/memory/MEMORY.md": "# Memory\n\n- [Use pnpm](feedback_use_pnpm.md) — never npm in this repository\n- [Gone](gone.md) — was removed\n- Tests need Docker running.\n- ~~Old line.~~\n",
		".claude/projects/SLUG/memory/feedback_use_pnpm.md": "---\nname: use-pnpm\ndescription: never npm in this repository\nmetadata:\n  node_type: memory\n  type: feedback\n---\n\n" +
			"Use pnpm, never npm: the lock file\nis pnpm's.\n\n**Why:** npm broke the build in May.\n",
	})
	got := p.Remember()
	if len(got) != 2 || got[0].Text != "Use pnpm, never npm: the lock file is pnpm's." || got[0].Line != 9 || filepath.Base(got[0].File) != "feedback_use_pnpm.md" || got[0].Time.IsZero() ||
		got[1].Text != "Tests need Docker running." || got[1].Line != 5 {
		t.Errorf("%+v", got)
	}
	p.AutoOff = true
	if got := p.Remember(); got != nil || p.AutoFolder() != "" {
		t.Errorf("switched off: %v", got)
	}
	p.AutoOff, p.Auto = false, filepath.Join(p.Home, "elsewhere")
	if got := p.Remember(); got != nil {
		t.Errorf("elsewhere: %v", got)
	}
	if err := os.Rename(filepath.Join(p.Claude, "projects", slug(p.Top), "memory"), p.Auto); err != nil {
		t.Fatal(err)
	}
	if got := p.Remember(); len(got) != 2 || p.AutoFolder() != p.Auto {
		t.Errorf("elsewhere: %v", got)
	}
	if file, _ := Read("claude", p).Says("Tests need Docker running"); file == "" {
		t.Error("Claude does not read the folder elsewhere")
	}
	p.AutoOff = true
	if file, _ := Read("claude", p).Says("Tests need Docker running"); file != "" {
		t.Errorf("Claude reads %s, which is switched off", file)
	}
	if got := (Place{Home: t.TempDir(), Claude: t.TempDir(), Top: "/x"}).Remember(); got != nil {
		t.Errorf("without one: %v", got)
	}
}

func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	p := Place{Home: dir, Claude: filepath.Join(dir, ".claude"), Top: filepath.Join(dir, "w"), Dir: filepath.Join(dir, "w")}
	os.MkdirAll(p.Top, 0o700)
	os.WriteFile(filepath.Join(p.Top, "CLAUDE.md"), []byte(strings.Repeat("- Use pnpm, never npm, in the folder of the page and its tests.\n", 300)), 0o600)
	for b.Loop() {
		Read("claude", p).Says("Error messages are plain ASCII")
	}
}
