package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/memory/markdown"
)

// hush is a word that only what is forgotten holds; a search knows its stem.
const hush = "quokkapassword"

// The ids of a fact by hand, and of the one that was merged into it.
const (
	hushFact   = "01990000-0000-7000-8000-0000000000f1"
	hushMerged = "01990000-0000-7000-8000-0000000000f2"
)

// secretive is a memory with something of each kind that holds the word: a
// note, a run and what it saved, a commit that no run made, a fact that took
// in another. It was exported, and ids are those of all of it.
func secretive(t *testing.T) (l *lab, exports string, ids []string) {
	l = newLab(t, "")
	l.Agentflow("remember", "The badger sleeps.")
	l.Agentflow("remember", "The "+hush+" opens the vault.")
	l.Agentflow("run", "-q", "--agent", "command", "Find the word of the vault", "--",
		"echo", "It is "+hush+". <save_memory>Say "+hush+" at the gate.</save_memory>")
	l.Commit("vault", "vault: "+hush+" chosen")
	l.Agentflow("backfill")
	l.Write(".agentflow/memory/MEMORY.md", "# Memory\n\n- Whisper "+hush+" twice. <!-- id="+hushFact+" type=semantic merged="+hushMerged+" -->\n")
	exports = t.TempDir()
	l.Agentflow("memory", "export", "-o", filepath.Join(exports, "all.jsonl"))
	l.Agentflow("memory", "export", "--format", "markdown", "-o", filepath.Join(exports, "all.md"))
	l.Agentflow("memory", "export", "--facts-only", "-o", filepath.Join(exports, "facts.jsonl"))
	l.Write(filepath.Join(exports, "notes/MEMORY.md"), "- the  "+hush+" opens the vault\n- say "+hush+" at the gate\n- Whisper "+hush+" twice\n")
	l.Write(filepath.Join(exports, "merged.jsonl"), `{"v":1,"kind":"fact","id":"`+hushMerged+`","text":"Another word for `+hush+`."}`+"\n")
	for id, e := range l.Entries() {
		if strings.Contains(string(markdown.Format(e)), hush) {
			ids = append(ids, id)
		}
	}
	if len(ids) != 3 {
		t.Fatalf("%d entries hold the word: %s", len(ids), l.Agentflow("log", "--all"))
	}
	return l, exports, append(ids, hushFact)
}

// waysBack are all ways on which what was forgotten could come back.
func waysBack(l *lab, exports string) map[string]func() {
	return map[string]func(){
		"import": func() {
			l.Agentflow("memory", "import", filepath.Join(exports, "all.jsonl"), filepath.Join(exports, "all.md"), filepath.Join(exports, "facts.jsonl"))
		},
		"import of notes":       func() { l.Agentflow("memory", "import", filepath.Join(exports, "notes")) },
		"import of a merged id": func() { l.Agentflow("memory", "import", filepath.Join(exports, "merged.jsonl")) },
		"backfill":              func() { l.Agentflow("backfill") },
		"consolidate":           func() { l.Agentflow("consolidate") },
		"a rebuilt index": func() {
			l.remove(".agentflow/state")
			l.Agentflow("index", "--rebuild")
		},
		"the log": func() {
			l.remove(".agentflow")
			l.Agentflow("status")
		},
		"the log alone": func() {
			l.remove(".agentflow")
			l.remove(".git/agentflow/seen")
			l.Agentflow("status")
		},
		"restore of what vanished": func() { l.Agentflow("memory", "restore") },
	}
}

func (l *lab) remove(name string) {
	l.T.Helper()
	if err := os.RemoveAll(filepath.Join(l.Repo, name)); err != nil {
		l.T.Fatal(err)
	}
}

// holding names the files below the folders that hold the word, in any case.
func (l *lab) holding(word string, folders ...string) (files []string) {
	l.T.Helper()
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			if bytes.Contains(bytes.ToLower(data), []byte(word)) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			l.T.Fatal(err)
		}
	}
	return files
}

// TestForgottenStaysForgotten takes each way back, one after the other, after
// each way to forget.
func TestForgottenStaysForgotten(t *testing.T) {
	for name, flags := range map[string][]string{"forgotten": nil, "purged": {"--purge"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, exports, ids := secretive(t)
			l.Agentflow(slices.Concat([]string{"forget", "--yes"}, flags, ids)...)
			gone := func(after string) {
				t.Helper()
				if files := l.holding(hush, filepath.Join(l.Repo, ".agentflow/memory")); len(files) > 0 {
					t.Errorf("after %s the word stands in %q", after, files)
				}
				if found := l.Agentflow("search", hush); strings.Contains(found, hush) {
					t.Errorf("after %s a search finds %s", after, found)
				}
				if name == "purged" {
					l.wantNowhere(after)
				}
			}
			gone("forgetting")
			for way, take := range waysBack(l, exports) {
				take()
				gone(way)
			}
			if list := l.Agentflow("memory", "list"); !strings.Contains(list, "The badger sleeps.") {
				t.Errorf("what was not forgotten is gone too: %s", list)
			}
			err := l.Command(append([]string{"memory", "restore"}, ids...)...).Run()
			if back := l.holding(hush, filepath.Join(l.Repo, ".agentflow/memory")); (err == nil) != (name == "forgotten") || (len(back) > 0) != (name == "forgotten") {
				t.Errorf("restoring by id: %v, the word stands in %q", err, back)
			}
		})
	}
}

// wantNowhere insists that no file of ours holds the word, or its beginning:
// not in the repository's folders, not in the user's.
func (l *lab) wantNowhere(after string) {
	l.T.Helper()
	for _, file := range l.holding(hush[:10], filepath.Join(l.Repo, ".agentflow"), filepath.Join(l.Repo, ".git/agentflow"), l.Home) {
		l.T.Errorf("after %s the word stands in %s", after, file)
	}
}
