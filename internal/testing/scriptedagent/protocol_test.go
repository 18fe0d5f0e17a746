package scriptedagent

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestStreamIsTheRecordedOne compares the scripted agent with the real CLI:
// each field of each kind of line must occur, with the same JSON type, in a
// recorded line of that kind.
func TestStreamIsTheRecordedOne(t *testing.T) {
	recorded := map[string]map[string]string{}
	files, err := filepath.Glob("../../../testdata/claude/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		collect(t, data, recorded)
	}
	got := map[string]map[string]string{}
	collect(t, everything(t), got)
	for kind, fields := range got {
		for field, typ := range fields {
			if want := recorded[kind][field]; want != typ && want != "any" && typ != "null" {
				t.Errorf("%s: %s is %s, recorded: %q", kind, field, typ, want)
			}
		}
	}
}

// everything returns a stream with every kind of line that the agent can write.
func everything(t *testing.T) []byte {
	var out bytes.Buffer
	dir := t.TempDir()
	s := &stream{out: &out, session: "s", started: time.Now(), denials: []object{}}
	a := &agent{out: s, dir: dir}
	s.init(dir, "acceptEdits")
	for _, st := range []step{
		{verb: "say", args: []string{"hello"}},
		{verb: "write", args: []string{"a", "b"}},
		{verb: "edit", args: []string{"a", "b", "c"}},
		{verb: "read", args: []string{"a"}},
		{verb: "sub", args: []string{"text"}},
		{verb: "deny", args: []string{"Write", "a"}},
	} {
		if err := verbs[st.verb].do(a, st.args); err != nil {
			t.Fatalf("%s: %v", st.verb, err)
		}
	}
	a.interrupted()
	s.result(nil)
	if err := fail(a, []string{"API Error"}); err != exit(1) {
		t.Fatal(err)
	}
	return out.Bytes()
}

// collect adds each line's fields, by the line's kind.
func collect(t *testing.T, lines []byte, into map[string]map[string]string) {
	t.Helper()
	for line := range bytes.Lines(lines) {
		var fields map[string]any
		if err := json.Unmarshal(line, &fields); err != nil {
			t.Fatalf("%.200q: %v", line, err)
		}
		kind := fields["type"].(string)
		if kind == "system" {
			kind += " " + fields["subtype"].(string)
		}
		if into[kind] == nil {
			into[kind] = map[string]string{}
		}
		flat := map[string]string{}
		flatten("", fields, flat)
		for field, typ := range flat {
			if old, ok := into[kind][field]; ok && old != typ {
				typ = "any"
			}
			flat[field] = typ
		}
		maps.Copy(into[kind], flat)
	}
}

func flatten(prefix string, value any, into map[string]string) {
	switch v := value.(type) {
	case map[string]any:
		into[prefix] = "object"
		for name, field := range v {
			if prefix+"."+name == ".message.content.input" { // a tool's own business
				continue
			}
			flatten(prefix+"."+name, field, into)
		}
	case []any:
		into[prefix] = "list"
		for _, element := range v {
			flatten(prefix, element, into)
		}
		into[prefix] = "list"
	case string:
		into[prefix] = "string"
	case float64:
		into[prefix] = "number"
	case bool:
		into[prefix] = "bool"
	case nil:
		into[prefix] = "null"
	}
}
