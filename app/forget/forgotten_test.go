package forget_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/commit"
	"agentflow/app/consolidate"
	"agentflow/app/forget"
	"agentflow/app/list"
	"agentflow/app/search"
	"agentflow/app/settle"
	"agentflow/app/setup"
	"agentflow/app/transfer"
	"agentflow/app/upkeep"
	"agentflow/internal/testing/apptest"
	"agentflow/memory/markdown"
)

// hush is a word that occurs only in forgotten items; a search knows its stem.
const hush = "quokkapassword"

// The ids of a fact by hand, and of the one that was merged into it.
const (
	hushFact   = "01990000-0000-7000-8000-0000000000f1"
	hushMerged = "01990000-0000-7000-8000-0000000000f2"
)

// secretive is a repository with the word in an item of each kind: a note, a run and its saved fact, a commit that no
// run made, and a fact that took in another. It was exported, and ids has the ids of all items.
func secretive(t *testing.T) (p *apptest.Place, m *app.Memory, exports string, ids []string) {
	p, exports = apptest.NewRepository(t), t.TempDir()
	m = p.Memory()
	apptest.Remembered(t, m, "The badger sleeps.")
	apptest.Remembered(t, m, "The "+hush+" opens the vault.")
	apptest.RunNow(t, m, "Find the word of the vault", "echo 'It is "+hush+". <save_memory>Say "+hush+" at the gate.</save_memory>'")
	p.Commit("vault", "vault: "+hush+" chosen")
	apptest.Must(commit.Backfill(t.Context(), m, commit.BackfillRequest{Last: settle.BackfillLast}))(t)
	p.Write(".agentflow/memory/MEMORY.md", "# Memory\n\n- Whisper "+hush+" twice. <!-- id="+hushFact+" type=semantic merged="+hushMerged+" -->\n")
	for name, req := range map[string]transfer.ExportRequest{"all.jsonl": {}, "all.md": {Format: "markdown"}, "facts.jsonl": {FactsOnly: true}} {
		req.File = filepath.Join(exports, name)
		apptest.Must(transfer.Export(t.Context(), m, req))(t)
	}
	p.Write(filepath.Join(exports, "notes/MEMORY.md"), "- the  "+hush+" opens the vault\n- say "+hush+" at the gate\n- Whisper "+hush+" twice\n")
	p.Write(filepath.Join(exports, "merged.jsonl"), `{"v":1,"kind":"fact","id":"`+hushMerged+`","text":"Another word for `+hush+`."}`+"\n")
	for id, e := range p.Entries() {
		if strings.Contains(string(markdown.Format(e)), hush) {
			ids = append(ids, id)
		}
	}
	if len(ids) != 3 {
		t.Fatalf("%d entries hold the word: %+v", len(ids), p.Entries())
	}
	return p, m, exports, append(ids, hushFact)
}

// waysBack lists all ways in which a forgotten item could come back.
func waysBack(p *apptest.Place, m *app.Memory, exports string) map[string]func(context.Context) error {
	imports := func(names ...string) func(context.Context) error {
		for i := range names {
			names[i] = filepath.Join(exports, names[i])
		}
		return func(ctx context.Context) error {
			_, err := transfer.Import(ctx, m, transfer.ImportRequest{Paths: names})
			return err
		}
	}
	status := func(ctx context.Context) error {
		_, err := setup.Status(ctx, m, setup.StatusRequest{})
		return err
	}
	return map[string]func(context.Context) error{
		"import":                imports("all.jsonl", "all.md", "facts.jsonl"),
		"import of notes":       imports("notes"),
		"import of a merged id": imports("merged.jsonl"),
		"backfill": func(ctx context.Context) error {
			_, err := commit.Backfill(ctx, m, commit.BackfillRequest{Last: settle.BackfillLast})
			return err
		},
		"consolidate": func(ctx context.Context) error {
			_, err := consolidate.Consolidate(ctx, m, consolidate.Request{})
			return err
		},
		"a rebuilt index": func(ctx context.Context) error {
			p.Remove(".agentflow/state")
			_, err := upkeep.Index(ctx, m, upkeep.IndexRequest{Rebuild: true})
			return err
		},
		"the log": func(ctx context.Context) error {
			p.Remove(".agentflow")
			return status(ctx)
		},
		"the log alone": func(ctx context.Context) error {
			p.Remove(".agentflow")
			p.Remove(".git/agentflow/seen")
			return status(ctx)
		},
		"restore of what vanished": func(ctx context.Context) error {
			_, err := forget.Restore(ctx, m, forget.RestoreRequest{})
			return err
		},
	}
}

// TestForgottenStaysForgotten tries each way back after each way to forget.
func TestForgottenStaysForgotten(t *testing.T) {
	for name, purge := range map[string]bool{"forgotten": false, "purged": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, m, exports, ids := secretive(t)
			p.Forget(m, forget.Request{IDs: ids, Purge: purge})
			gone := func(after string) {
				t.Helper()
				if files := p.Holding(hush, p.Path(".agentflow/memory")); len(files) > 0 {
					t.Errorf("after %s the word stands in %q", after, files)
				}
				if found := apptest.Must(search.Search(t.Context(), m, search.SearchRequest{Text: hush, Limit: 10}))(t).Hits; strings.Contains(fmt.Sprintf("%+v", found), hush) {
					t.Errorf("after %s a search finds %+v", after, found)
				}
				if purge { // no file of ours holds the word, or its beginning: not in the repository's folders, not in the user's
					for _, file := range p.Holding(hush[:10], p.Path(".agentflow"), p.Path(".git/agentflow"), p.Home) {
						t.Errorf("after %s the word stands in %s", after, file)
					}
				}
			}
			gone("forgetting")
			for way, take := range waysBack(p, m, exports) {
				if err := take(t.Context()); err != nil {
					t.Errorf("%s: %v", way, err)
				}
				gone(way)
			}
			if list := apptest.Must(list.List(t.Context(), m, list.Request{}))(t).Facts; len(list) != 1 || list[0].Text != "The badger sleeps." {
				t.Errorf("what was not forgotten is gone too, or not alone: %+v", list)
			}
			_, err := forget.Restore(t.Context(), m, forget.RestoreRequest{IDs: ids})
			if back := p.Holding(hush, p.Path(".agentflow/memory")); (err != nil) != purge || (len(back) == 0) != purge {
				t.Errorf("restoring by id: %v, the word stands in %q", err, back)
			}
		})
	}
}
