package connect

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"agentflow/internal/testing/settingstest"
)

func home(program string) Home {
	return Home{Getenv: func(string) string { return "" }, Dir: "/home/me", Program: program, Global: "/home/me/MEMORY.md", Exists: func(string) bool { return false }}
}

var (
	here  = home("/usr/bin/agentflow")
	moved = home("/opt/it's here/agentflow")
)

// files returns all files that connect changes.
func files(h Home) (list []File) {
	for _, agent := range Agents {
		list = append(list, h.Files(agent)...)
	}
	return append(list, h.PluginFile("/data/claude"))
}

// TestConnectDisconnect holds for every file and every form of it. Added items are found, and
// adding is refused or complete. Cutting with the earlier text restores its meaning, and the
// same bytes if nothing was empty.
func TestConnectDisconnect(t *testing.T) {
	for _, f := range files(here) {
		texts := settingstest.JSON
		if f.Table != nil {
			texts = settingstest.TOML
		}
		for name, before := range texts {
			roundTrip(t, filepath.Base(f.Path)+": "+name, f, []byte(before))
		}
	}
}

func roundTrip(t *testing.T, name string, f File, before []byte) {
	t.Helper()
	with, err := f.Add(before)
	if err != nil {
		if !strings.Contains(name, "comment") && !strings.Contains(name, "last commas") && name != "hooks.json: escapes" && !strings.Contains(name, ": dotted") {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	if !f.Has(with) || f.Program(with) == "" && len(f.Items) != 2 || f.Has(before) {
		t.Errorf("%s: not there\n%s", name, with)
	}
	without, err := f.Cut(with, before)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if same := bytes.Equal(without, before); !same && !strings.Contains(name, "empty") && !strings.Contains(name, "newline") && !strings.Contains(name, "comment alone") {
		t.Errorf("%s: %q became\n%q", name, before, without)
	}
	if f.Table == nil && !reflect.DeepEqual(meaning(without), meaning(before)) {
		t.Errorf("%s: %q became\n%q", name, before, without)
	}
}

func meaning(text []byte) any {
	root, err := parse(text)
	if err != nil {
		return err.Error()
	}
	if root == nil {
		return map[string]any{}
	}
	return root.decoded(text)
}

func TestOursIsTakenOutAmongOthers(t *testing.T) {
	f := here.Files("claude")[0]
	with, err := f.Add([]byte("{\n  \"a\": 1\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	edited := bytes.Replace(with, []byte("\"Stop\": [\n"), []byte("\"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]},\n"), 1)
	edited = bytes.Replace(edited, []byte(`"a": 1`), []byte(`"a": 2`), 1)
	without, err := f.Cut(edited, nil)
	want := "{\n  \"a\": 2,\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}\n    ]\n  }\n}\n"
	if err != nil || string(without) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, without, want)
	}
}

// TestOursInAnothersGroup: people put hooks of one event together.
func TestOursInAnothersGroup(t *testing.T) {
	f := here.Files("claude")[0]
	with, err := f.Add([]byte("{}\n"))
	if err != nil {
		t.Fatal(err)
	}
	const mine = `{"type": "command", "command": "mine"},`
	merged := bytes.Replace(with, []byte(`"hooks": [`+"\n"), []byte(`"hooks": [`+mine+"\n"), 1)
	if !f.Has(merged) || f.Program(merged) != here.Program {
		t.Errorf("%v, %q:\n%s", f.Has(merged), f.Program(merged), merged)
	}
	if moved := moved.Files("claude")[0]; moved.Has(merged) {
		t.Error("hooks of a program that lay elsewhere count as this one's")
	}
	cut, err := f.Cut(merged, nil)
	if err != nil || bytes.Contains(cut, []byte("agentflow")) || !bytes.Contains(cut, []byte(`"mine"`)) || !json.Valid(cut) {
		t.Errorf("%v\n%s", err, cut)
	}
	twice := bytes.Replace(with, []byte(`"hooks": [`+"\n"), []byte(`"hooks": [{"type": "command", "command": `+quoted(hookCommand(here.Program, "claude"))+"},\n"), 1)
	if f.Has(twice) {
		t.Error("a hook that stands twice is not seen")
	}
	if cut, err := f.Cut(twice, nil); err != nil || string(bytes.TrimSpace(cut)) != "{}" {
		t.Errorf("%v\n%s", err, cut)
	}
}

func TestAMovedProgram(t *testing.T) {
	for i, old := range files(moved) {
		now := files(here)[i]
		with, err := old.Add(nil)
		if err != nil {
			t.Fatal(err)
		}
		if old.Table == nil && len(old.Items) > 1 && strings.HasPrefix(old.Items[0].Path[0], "extra") {
			continue // names no program
		}
		if got := now.Program(with); got != moved.Program {
			t.Errorf("%s: program %q", old.Path, got)
		}
		if now.Has(with) {
			t.Errorf("%s: the old one counts as the new one", old.Path)
		}
		if cut, err := now.Cut(with, nil); err != nil || bytes.Contains(cut, []byte("agentflow")) {
			t.Errorf("%s: %v\n%s", old.Path, err, cut)
		}
	}
}

func TestOthersAreRefused(t *testing.T) {
	for i, text := range []string{`{"hooks": []}`, `{"mcpServers": {"agentflow": {"command": "another"}}}`, `{"hooks": {"Stop": {}}}`, "[mcp_servers.agentflow]\ncommand = \"another\"\n", `{"mcpServers": 1}`, `{"mcp": []}`} {
		f := append(here.Files("claude"), append(here.Files("codex"), append(here.Files("gemini"), here.Files("opencode")...)...)...)[i]
		if got, err := f.Add([]byte(text)); err == nil {
			t.Errorf("%s: %s became %s", f.Path, text, got)
		}
		if got, err := f.Cut([]byte(text), nil); err != nil || string(got) != text {
			t.Errorf("%s: %s became %s, %v", f.Path, text, got, err)
		}
	}
}

// TestHookLine runs the line with a shell: also with a path that has spaces and
// quotes, and without the program.
func TestHookLine(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	dir := filepath.Join(t.TempDir(), `it's "a" $HOME `+"`x` folder")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Skip(err)
	}
	program := filepath.Join(dir, "agentflow")
	line := hookCommand(program, "claude")
	if got := hookProgram(map[string]any{"command": line}); got != program && filepath.Separator == '/' {
		t.Errorf("the line names %q", got)
	}
	if out, err := exec.Command(sh, "-c", line).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("without the program: %v %q", err, out)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(sh, "-c", line).CombinedOutput(); err != nil || string(out) != "session hook --agent claude\n" {
		t.Errorf("%v %q", err, out)
	}
}

func TestPluginIsJSON(t *testing.T) {
	all := moved.Plugin()
	for name, text := range all {
		if strings.HasSuffix(name, ".json") && !json.Valid([]byte(text)) {
			t.Errorf("%s: %s", name, text)
		}
	}
	if got := here.PluginProgram([]byte(all[PluginHooks])); got != moved.Program {
		t.Errorf("its hooks run %q", got)
	}
}

// FuzzJSON: items of others stay, and adding followed by cutting restores the text, except for
// empty objects and lists.
func FuzzJSON(f *testing.F) {
	for _, text := range settingstest.JSON {
		f.Add([]byte(text))
	}
	all := files(here)
	f.Fuzz(func(t *testing.T, before []byte) {
		for _, file := range all {
			if file.Table != nil {
				continue
			}
			with, err := file.Add(before)
			if err != nil {
				continue
			}
			if !file.Has(with) {
				t.Fatalf("%s: %q became %q", file.Path, before, with)
			}
			clean, err := file.Cut(before, nil)
			if err != nil || !bytes.Equal(clean, before) {
				continue // it held ours
			}
			without, err := file.Cut(with, before)
			if err != nil || !reflect.DeepEqual(meaning(without), meaning(before)) {
				t.Fatalf("%s: %v\n%q became\n%q and\n%q", file.Path, err, before, with, without)
			}
			if strip(without) != strip(before) {
				t.Fatalf("%s:\n%q became\n%q and\n%q", file.Path, before, with, without)
			}
		}
	})
}

// strip returns a text without white space. An empty text becomes an empty object.
func strip(text []byte) string {
	s := strings.Join(strings.FieldsFunc(string(text), func(r rune) bool { return r < 0x80 && isSpace(byte(r)) }), "")
	if root, err := parse(text); err == nil && root == nil {
		s += "{}" // behind comments, or nothing
	}
	return s
}

func FuzzTOML(f *testing.F) {
	for _, text := range settingstest.TOML {
		f.Add([]byte(text))
	}
	file := here.Files("codex")[1]
	f.Fuzz(func(t *testing.T, before []byte) {
		with, err := file.Add(before)
		if err != nil {
			return
		}
		if !file.Has(with) || !bytes.HasPrefix(with, before) {
			t.Fatalf("%q became %q", before, with)
		}
		without, err := file.Cut(with, before)
		if err != nil || !bytes.Equal(bytes.TrimRight(without, "\r\n"), bytes.TrimRight(before, "\r\n")) {
			t.Fatalf("%v: %q became %q and %q", err, before, with, without)
		}
	})
}
