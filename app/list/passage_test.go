package list_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app"
	applist "agentflow/app/list"
	"agentflow/internal/testing/apptest"
)

func TestPassage(t *testing.T) {
	p := apptest.NewRepository(t)
	p.Write(".agentflow/memory/MEMORY.md", apptest.FourFacts)
	p.Write(".agentflow/memory/notes/a.md", "one\r\ntwo \x1b[31mred\x1b[0m\x00\nthree\n")
	p.Write(".agentflow/memory/wide.md", strings.Repeat("ä", applist.MaxPassage)+"\nnext\n")
	p.Write(".agentflow/memory/long.md", strings.Repeat(strings.Repeat("x", 1023)+"\n", 100))
	p.Write("../home/data/agentflow/memory/MEMORY.md", "# Memory\n\n- Mine.\n")
	p.Write(".agentflow/config.toml", "")
	p.Write(".agentflow/memory/secret.md", "password = hunter2hunter2\n")
	p.Write("secret.md", "secret\n")
	for link, target := range map[string]string{"out.md": "../../secret.md", "folder": ".."} {
		if err := os.Symlink(target, filepath.Join(p.Repo, ".agentflow/memory", link)); err != nil {
			t.Skip("no symlinks here: ", err)
		}
	}
	m := p.Memory()

	for name, c := range map[string]struct {
		req      applist.PassageRequest
		file     string
		from, to int
		text     string // it begins so
	}{
		"a fact":        {applist.PassageRequest{Ref: "0a02"}, "memory/MEMORY.md", 4, 4, "- Deploys are on Fridays, always. <!-- id="},
		"lines":         {applist.PassageRequest{File: "memory/notes/a.md", From: 2, To: 2}, "memory/notes/a.md", 2, 2, "two red"},
		"a whole file":  {applist.PassageRequest{File: "memory/notes/a.md"}, "memory/notes/a.md", 1, 3, "one\ntwo red\nthree"},
		"a secret":      {applist.PassageRequest{File: "memory/secret.md"}, "memory/secret.md", 1, 1, "password = [redacted"},
		"beyond it":     {applist.PassageRequest{File: "memory/notes/a.md", From: 3, To: 99}, "memory/notes/a.md", 3, 3, "three"},
		"the user's":    {applist.PassageRequest{File: "global:memory/MEMORY.md", From: 3}, "global:memory/MEMORY.md", 3, 3, "- Mine."},
		"a long line":   {applist.PassageRequest{File: "memory/wide.md"}, "memory/wide.md", 1, 1, strings.Repeat("ä", applist.MaxPassage/2)},
		"a long file":   {applist.PassageRequest{File: "memory/long.md"}, "memory/long.md", 1, 64, "xxx"},
		"and its rest":  {applist.PassageRequest{File: "memory/long.md", From: 65}, "memory/long.md", 65, 100, "xxx"},
		"its last line": {applist.PassageRequest{File: "memory/long.md", From: 100}, "memory/long.md", 100, 100, "xxx"},
	} {
		res, err := applist.Passage(t.Context(), m, c.req)
		if err != nil || res.File != c.file || res.From != c.from || res.To != c.to || !strings.HasPrefix(res.Text, c.text) || len(res.Text) > applist.MaxPassage {
			t.Errorf("%s: %s:%d-%d, %d bytes, %v", name, res.File, res.From, res.To, len(res.Text), err)
		}
		if long := c.to < res.Lines && c.req.To == 0 && c.req.Ref == ""; res.Cut != long {
			t.Errorf("%s: cut %v", name, res.Cut)
		}
	}
	for kind, list := range map[app.Kind][]applist.PassageRequest{
		app.KindUsage: {{}, {Ref: "0a01", File: "memory/MEMORY.md"}, {Ref: "0a01", From: 1}, {Ref: "1"}, {File: "memory/MEMORY.md", From: -1}, {File: "memory/MEMORY.md", From: 3, To: 2},
			{File: "secret.md"}, {File: "memory/../config.toml"}, {File: "memory/../../secret.md"}, {File: "memory//MEMORY.md"}, {File: "memory/./MEMORY.md"}, {File: "memory/"},
			{File: "/etc/hosts.md"}, {File: "memory//etc/hosts.md"}, {File: "memory/MEMORY.md\x00.md"}, {File: `memory\MEMORY.md`}, {File: `memory/..\..\secret.md`},
			{File: "memory/C:/secret.md"}, {File: "memory/MEMORY.md:stream.md"}, {File: "global:memory/../x.md"}, {File: "global:global:memory/MEMORY.md"}, {File: "memory/MEMORY"}},
		app.KindNotFound: {{Ref: "ffff"}, {File: "memory/none.md"}, {File: "memory/MEMORY.md", From: 99}, {File: "memory/out.md"}, {File: "memory/folder/config.md"},
			{File: "memory/%2e%2e/x.md"}, {File: "global:memory/none.md"}},
	} {
		for _, req := range list {
			res, err := applist.Passage(t.Context(), m, req)
			apptest.WantKind(t, err, kind)
			if res.Text != "" {
				t.Errorf("%+v: %q", req, res.Text)
			}
		}
	}
}

func TestPassageThatCameWithTheRepository(t *testing.T) {
	p := apptest.NewRepository(t)
	p.Write(".agentflow/memory/theirs.md", "Obey.\n")
	p.Git("add", "-f", ".agentflow/memory/theirs.md")
	p.Git("commit", "-qm", "theirs")
	p.Write(".agentflow/memory/2026-05-04.md", "# 2026-05-04\n\nMine.\n")
	p.Write(".agentflow/memory/MEMORY.md", "# Memory\n")
	m := p.Memory()
	for file, untrusted := range map[string]bool{"memory/theirs.md": true, "memory/2026-05-04.md": false} {
		if res, err := applist.Passage(t.Context(), m, applist.PassageRequest{File: file}); err != nil || res.Untrusted != untrusted {
			t.Errorf("%s: %+v, %v", file, res, err)
		}
	}
	res := apptest.Must(applist.MemoryFiles(t.Context(), m))(t)
	var names []string
	for _, f := range res.Files {
		names = append(names, f.Name)
		if f.Untrusted != (f.Name == "memory/theirs.md") || f.Size == 0 || f.Modified.IsZero() {
			t.Errorf("%+v", f)
		}
	}
	if got := strings.Join(names, " "); got != "memory/MEMORY.md memory/2026-05-04.md memory/theirs.md" {
		t.Error(got)
	}
}
