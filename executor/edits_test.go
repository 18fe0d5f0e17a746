package executor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/agent/claude"
	"agentflow/executor/runfolder"
	"agentflow/gitwatch/toolcalls"
)

// editing returns the lines of a session's file in which Claude replaces a text.
func editing(call, path, old, text string) string {
	at := time.Now().UTC().Format(time.RFC3339Nano)
	return fmt.Sprintf(`{"type":"assistant","uuid":%q,"timestamp":%q,"message":{"id":%q,"role":"assistant","content":[{"type":"tool_use","id":%q,"name":"Edit","input":{"file_path":%q,"old_string":%q,"new_string":%q}}]}}`+"\n",
		call+"1", at, call, call, path, old, text) +
		fmt.Sprintf(`{"type":"user","uuid":%q,"timestamp":%q,"toolUseResult":{"filePath":%q,"oldString":%q,"newString":%q},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"ok"}]}}`+"\n",
			call+"2", at, path, old, text, call)
}

func transcriptDecoder(string) agent.Decoder {
	return claude.New().(interface{ Transcript() agent.Decoder }).Transcript()
}

// TestReadKeepsNoEdits: what Read takes from the file of a session holds no texts of files.
func TestReadKeepsNoEdits(t *testing.T) {
	l := newLab(t)
	file := filepath.Join(t.TempDir(), "s.jsonl")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	deps := l.deps
	deps.Transcript = transcriptDecoder
	writes := 0
	deps.Sink = func(ev agent.Event) {
		for _, w := range ev.Wrote {
			if writes++; w.Edit != nil {
				t.Errorf("the edit of %s is kept: %+v", w.Path, w.Edit)
			}
		}
	}
	s, err := BeginSegment(t.Context(), deps, SegmentRequest{Agent: "claude", Session: "s", Transcript: file, Since: time.Now().Add(-time.Minute), Read: &runfolder.Reading{}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	write(editing("a", "/x/a.go", "one", "two"))
	if err := s.Read(t.Context()); err != nil || writes != 1 {
		t.Errorf("%d writes, %v", writes, err)
	}
}

// TestEditsAreBounded: only the edits of the writes asked for are read, and only as many as there is
// room for.
func TestEditsAreBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.jsonl")
	huge := strings.Repeat("x", 100)
	if err := os.WriteFile(file, []byte(editing("a", "/x/a.go", "one", "two")+editing("b", "/x/b.go", huge, "y")+editing("c", "/x/c.go", "three", "four")+editing("d", "/x/d.go", "5", "6")), 0o600); err != nil {
		t.Fatal(err)
	}
	edits := map[editKey]*toolcalls.Edit{{"a", "/x/a.go"}: nil, {"b", "/x/b.go"}: nil, {"d", "/x/d.go"}: nil}
	room := 50
	_, events, err := readLines(file, 0, time.Time{}, &editDecoder{transcriptDecoder(""), edits, &room}, nil)
	if err != nil || len(events) > 0 || len(edits) != 3 || room != 50-len("onetwo56") {
		t.Errorf("%d events, edits %v, room %d, %v", len(events), edits, room, err)
	}
	if e := edits[editKey{"a", "/x/a.go"}]; e == nil || e.Old != "one" || edits[editKey{"b", "/x/b.go"}] != nil || edits[editKey{"d", "/x/d.go"}] == nil {
		t.Errorf("%+v", edits)
	}
}
