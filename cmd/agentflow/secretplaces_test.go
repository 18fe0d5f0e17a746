//go:build !windows

package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/redact"
	"agentflow/internal/testing/secrettest"
)

// place is a source of secrets: bring gives them to the real program, and
// returns its output without the agent's own output.
type place struct {
	name  string
	bring func(*secretLab, []secrettest.Sample) string
	// most is how many samples are brought at once; 0: many.
	most int
	// keeps are the beginnings of the names of files that keep secrets unchanged.
	keeps []string
}

var places = []place{
	{name: "task", bring: func(l *secretLab, s []secrettest.Sample) string { return l.run(nil, "run", joined(s)) }},
	{name: "resumed prompt", bring: func(l *secretLab, s []secrettest.Sample) string {
		return l.run(nil, "run", "Begin") + l.run(nil, "run", "--resume", "last", joined(s))
	}},
	{name: "prose", bring: func(l *secretLab, s []secrettest.Sample) string { return l.run([]any{said(joined(s))}, "run", "Do it") }},
	{name: "prose in a long stream", bring: func(l *secretLab, s []secrettest.Sample) string {
		return l.run([]any{said(strings.Repeat("An ordinary line.\n", 3600) + joined(s))}, "run", "Do it")
	}},
	{name: "tool input and output", bring: func(l *secretLab, s []secrettest.Sample) string {
		var events []any
		for i, one := range s {
			id := fmt.Sprint("t", i)
			events = append(events,
				message("assistant", map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": map[string]any{"command": "echo " + one.Text}}),
				message("user", map[string]any{"type": "tool_result", "tool_use_id": id, "content": "wrote <save_memory>" + one.Text + "</save_memory>\nwrote " + one.Text}))
		}
		return l.run(events, "run", "Do it")
	}},
	{name: "errors", bring: func(l *secretLab, s []secrettest.Sample) string {
		return l.run([]any{map[string]any{"type": "result", "subtype": "error", "is_error": true, "result": joined(s)}}, "run", "Fail")
	}},
	{name: "standard error", bring: func(l *secretLab, s []secrettest.Sample) string {
		l.Write(l.act, "cat <<'END' >&2\n"+joined(s)+"\nEND\nexit 1\n")
		return l.run(nil, "run", "Fail")
	}},
	{name: "denied calls", bring: func(l *secretLab, s []secrettest.Sample) string {
		return l.run([]any{map[string]any{"type": "result", "subtype": "success", "result": "done",
			"permission_denials": []any{map[string]any{"tool_name": "Bash", "tool_use_id": "t", "tool_input": map[string]any{"command": s[0].Text}}}}}, "run", "Do it")
	}, most: 1},
	{name: "commit of a run", bring: func(l *secretLab, s []secrettest.Sample) string {
		l.Write(l.act, "git commit -q --allow-empty -F - <<'END'\n"+joined(s)+"\nEND\n")
		return l.run(nil, "run", "Commit")
	}},
	{name: "commits of a person", bring: func(l *secretLab, s []secrettest.Sample) string {
		l.run(nil, "hook", "install")
		l.Write(filepath.Join(l.Home, "message"), joined(s))
		l.Git("commit", "-q", "--allow-empty", "-F", filepath.Join(l.Home, "message"))
		return l.run(nil, "log", "--all")
	}},
	{name: "backfill", bring: func(l *secretLab, s []secrettest.Sample) string {
		l.Write(filepath.Join(l.Home, "message"), joined(s))
		l.Git("commit", "-q", "--allow-empty", "-F", filepath.Join(l.Home, "message"))
		return l.run(nil, "backfill")
	}},
	{name: "facts of the agent", bring: func(l *secretLab, s []secrettest.Sample) string {
		var facts strings.Builder
		for _, one := range s {
			facts.WriteString("<save_memory>" + one.Text + "</save_memory>\n")
		}
		return l.run([]any{said(facts.String())}, "run", "Learn")
	}, most: 50},
	{name: "remember", bring: func(l *secretLab, s []secrettest.Sample) string {
		return l.run(nil, "remember", "--category", s[0].Text, joined(s))
	}},
	{name: "hand-written notes", bring: func(l *secretLab, s []secrettest.Sample) string {
		l.Write(".agentflow/memory/byhand.md", "# Notes\n\nThe deployment to staging:\n\n"+joined(s)+"\n")
		return l.run(nil, "run", "The deployment to staging")
	}, keeps: []string{
		// A person's own file is not changed, so that the log can restore
		// it. The index finds its words, and commands print them.
		"/repo/.git/agentflow/log", "/repo/.agentflow/state/index.db", "agentflow search", "agentflow memory export",
	}},
	{name: "verify", bring: func(l *secretLab, s []secrettest.Sample) string {
		l.Write(filepath.Join(l.Home, "check"), joined(s))
		return l.run(nil, "run", "--verify", "cat "+filepath.Join(l.Home, "check")+"; exit 1", "Check it")
	}},
	{name: "import of notes", bring: func(l *secretLab, s []secrettest.Sample) string {
		l.Write(filepath.Join(l.Home, "notes.md"), "# Notes\n\n"+joined(s)+"\n")
		return l.run(nil, "memory", "import", filepath.Join(l.Home, "notes.md"))
	}},
	{name: "import of JSON Lines", bring: func(l *secretLab, s []secrettest.Sample) string {
		var lines strings.Builder
		for _, one := range s {
			fmt.Fprintf(&lines, "{\"v\":1,\"kind\":\"fact\",\"text\":%s}\n", quotedJSON(one.Text))
		}
		l.Write(filepath.Join(l.Home, "notes.jsonl"), lines.String())
		return l.run(nil, "memory", "import", filepath.Join(l.Home, "notes.jsonl"))
	}},
	{name: "extraction", bring: func(l *secretLab, s []secrettest.Sample) string {
		var facts []map[string]any
		for _, one := range s {
			facts = append(facts, map[string]any{"op": "add", "text": "It was found out that " + one.Text})
		}
		answer, _ := json.Marshal(map[string]any{"facts": facts})
		result, _ := json.Marshal(map[string]any{"type": "result", "subtype": "success", "result": string(answer)})
		l.Write(l.answer, string(result)+"\n")
		return l.run([]any{said("It was found out that " + joined(s))}, "run", "Find out")
	}},
	{name: "names of files", bring: func(l *secretLab, s []secrettest.Sample) string {
		l.Write(l.act, "echo x >'"+s[0].Secrets[0]+"'\n")
		return l.run(nil, "run", "Make a file")
	}, most: 1},
}

// secretLab is a lab with an agent that prints the text that a test puts into a file.
type secretLab struct {
	*lab
	act, stream, answer string
}

func newSecretLab(t *testing.T) *secretLab {
	l := &secretLab{lab: newLab(t, "")}
	l.act, l.stream, l.answer = filepath.Join(l.Home, "act"), filepath.Join(l.Home, "stream"), filepath.Join(l.Home, "answer")
	bin := filepath.Join(l.Home, "bin")
	agent := filepath.Join(bin, "claude")
	l.Write(agent, "#!/bin/sh\ncase \" $* \" in *' json '*) cat "+l.answer+"; exit ;; *' auth '*) exit ;; esac\ncat >/dev/null\ncat "+l.stream+"\n. "+l.act+"\n")
	if err := os.Chmod(agent, 0o700); err != nil {
		t.Fatal(err)
	}
	l.Env = append(l.Env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	l.Write(filepath.Join(l.Home, "config/agentflow/config.toml"), "[extract]\nenabled = true\n")
	l.Write(l.act, "")
	l.Write(l.answer, `{"type":"result","subtype":"success","result":"{\"facts\":[]}"}`+"\n")
	return l
}

// run lets the agent print events, and returns agentflow's output without the
// text that passes through a run.
func (l *secretLab) run(events []any, args ...string) string {
	l.T.Helper()
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	all := slices.Concat([]any{map[string]any{"type": "system", "subtype": "init", "session_id": "5"}}, events)
	if len(events) == 0 || !isResult(events[len(events)-1]) {
		all = append(all, map[string]any{"type": "result", "subtype": "success", "result": "done", "session_id": "5"})
	}
	for _, ev := range all {
		if err := enc.Encode(ev); err != nil {
			l.T.Fatal(err)
		}
	}
	l.Write(l.stream, lines.String())
	out, _ := l.Command(args...).CombinedOutput() // some runs fail
	if args[0] == "run" {
		return ""
	}
	return string(out)
}

func isResult(ev any) bool { return ev.(map[string]any)["type"] == "result" }

func said(text string) any {
	return message("assistant", map[string]any{"type": "text", "text": text})
}

func message(kind string, block any) any {
	return map[string]any{"type": kind, "message": map[string]any{"id": "m", "content": []any{block}}}
}

func quotedJSON(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

func joined(samples []secrettest.Sample) string {
	var texts []string
	for _, s := range samples {
		texts = append(texts, s.Text)
	}
	return strings.Join(texts, "\n\n...\n\n")
}

// stored returns all that agentflow wrote or prints of its memory, by name.
func (l *secretLab) stored() map[string]string {
	l.T.Helper()
	all := map[string]string{}
	for _, root := range []string{filepath.Join(l.Repo, ".agentflow"), filepath.Join(l.Repo, ".git/agentflow"), filepath.Join(l.Home, "state"), filepath.Join(l.Home, "data")} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || d.Name() == "byhand.md" {
				return nil // the user's own file; a missing file holds nothing
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return nil // the daemon's sockets and the like
			}
			name := strings.TrimPrefix(path, filepath.Dir(l.Repo))
			all[name] = string(text)
			if strings.HasSuffix(path, ".zip") {
				all[name+" unpacked"] = unpacked(l.T, text)
			}
			return nil
		})
		if err != nil {
			l.T.Fatal(err)
		}
	}
	for _, args := range [][]string{{"memory", "export"}, {"memory", "export", "--format", "markdown"}, {"log", "--all", "--json"}, {"show", "last"},
		{"search", "--json", "deployment staging found out"}, {"recall", "the deployment to staging"}, {"memory", "list", "--json"}, {"status"}, {"diff", "last"}} {
		out, _ := l.Command(args...).CombinedOutput() // there may be no last run
		all["agentflow "+strings.Join(args, " ")] = string(out)
	}
	return all
}

func unpacked(t testing.TB, data []byte) string {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range r.File {
		all.WriteString(f.Name + "\n")
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&all, in); err != nil {
			t.Fatal(err)
		}
		in.Close()
	}
	return all.String()
}

// secretPart matches the characteristic part of a secret, without names and blanks.
var secretPart = regexp.MustCompile(`[^\s"'\\]{8,}`)

// left returns where a secret is stored, whole or in a characteristic part, except in
// the files that keep it.
func left(stored map[string]string, secret string, keeps []string) []string {
	parts := secretPart.FindAllString(secret, -1)
	if len(parts) == 0 {
		parts = []string{secret}
	}
	var names []string
	for name, text := range stored {
		if slices.ContainsFunc(keeps, func(k string) bool { return strings.HasPrefix(name, k) }) {
			continue
		}
		if slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// TestSecretsInEveryPlace brings secrets to every place where text comes from,
// and looks for them in all stored and shown text. AGENTFLOW_SECRETS=all
// takes every sample of gitleaks' rules, and lists the secrets that remain.
func TestSecretsInEveryPlace(t *testing.T) {
	samples := secrettest.Forms()
	if os.Getenv("AGENTFLOW_SECRETS") == "all" {
		samples = append(samples, secrettest.Gitleaks(t, 4)...)
	}
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			tried, found := 0, 0
			for batch := range slices.Chunk(fitting(p, samples), cmp.Or(p.most, 80)) {
				l := newSecretLab(t)
				out := p.bring(l, batch)
				stored := l.stored()
				stored["output"] = out
				if !slices.ContainsFunc(slices.Collect(maps.Values(stored)), func(text string) bool { return strings.Contains(text, "[redacted: ") }) {
					t.Errorf("nothing was redacted of %s and what follows it", batch[0].Name)
				}
				for _, s := range batch {
					tried++
					for _, secret := range s.Secrets {
						if names := left(stored, secret, p.keeps); names != nil {
							found++
							t.Errorf("%s: %q is left in %s", s.Name, secret, strings.Join(names, ", "))
							break
						}
					}
				}
			}
			t.Logf("%d of %d samples are left", found, tried)
		})
	}
}

// shaped reports whether a secret is recognized by its shape, and may name a
// file.
func shaped(s secrettest.Sample) bool {
	r, err := redact.New(redact.Options{})
	if err != nil {
		panic(err)
	}
	secret := s.Secrets[0]
	return !strings.ContainsAny(secret, "/\x00") && len(secret) < 200 && !strings.Contains(r.Text(secret), secret)
}

// fitting leaves out samples that a place cannot hold, and takes some of many if
// each needs a separate repository.
func fitting(p place, samples []secrettest.Sample) []secrettest.Sample {
	if p.most != 1 {
		return samples
	}
	var out []secrettest.Sample
	for i, s := range samples {
		if i%10 == 0 && !strings.ContainsAny(s.Text, "\n\x1b'") && (p.name != "names of files" || shaped(s)) {
			out = append(out, s)
		}
	}
	return out
}
