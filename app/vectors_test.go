package app_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/daemon"
	embedOf "agentflow/app/embedding"
	"agentflow/app/eval"
	"agentflow/app/open"
	"agentflow/app/recall"
	"agentflow/app/run"
	"agentflow/app/search"
	"agentflow/app/setup"
	"agentflow/app/upkeep"
	"agentflow/internal/config"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// embedding is a repository with a fake provider of embeddings.
type embedding struct {
	*apptest.Place
	m *app.Memory
	*provider
}

// newEmbedding returns an embedding with one note in memory that has its vector.
func newEmbedding(t *testing.T) *embedding {
	t.Helper()
	p := apptest.NewRepository(t)
	e := &embedding{p, p.Memory(), newProvider(t)}
	e.EmbedWith(e.settings(`model = "m"`))
	apptest.Remembered(t, e.m, "The flaky login test races the clock.")
	apptest.Must(upkeep.Index(t.Context(), e.m, upkeep.IndexRequest{}))(t)
	e.wantVectors(1, 0)
	return e
}

// told returns the notices and warnings of an operation.
func told(t *testing.T, operation func(ctx context.Context)) (lines []string) {
	t.Helper()
	ctx, events := apptest.Heard(t.Context())
	operation(ctx)
	for _, e := range *events {
		if e.Kind == app.EventNotice || e.Kind == app.EventWarning {
			lines = append(lines, string(e.Kind)+": "+e.Text)
		}
	}
	return lines
}

// wantVectors checks the numbers of vectors that status reports.
func (e *embedding) wantVectors(vectors, pending int) {
	e.T.Helper()
	if i := apptest.Must(setup.Status(e.T.Context(), e.m, setup.StatusRequest{}))(e.T).Status.Index; i.Vectors != vectors || i.Pending != pending {
		e.T.Errorf("%d vectors, %d pending; want %d and %d", i.Vectors, i.Pending, vectors, pending)
	}
}

// wantMeaning checks that a search by meaning finds the note without a warning.
func wantMeaning(t *testing.T, m *app.Memory) {
	t.Helper()
	var hits []retrieval.Hit
	lines := told(t, func(ctx context.Context) {
		hits = apptest.Must(search.Search(ctx, m, search.SearchRequest{Text: "flaky login test clock", Limit: 5, Explain: true}))(t).Hits
	})
	if len(lines) > 0 || len(hits) == 0 || hits[0].Explain.Vector <= 0 {
		t.Errorf("told %q, hits %+v", lines, hits)
	}
}

// wantRecalled runs an agent, and checks that it ends well with the note in its prompt and
// one warning that says why the note was not found by meaning.
func (e *embedding) wantRecalled(why string) {
	e.T.Helper()
	var prompt strings.Builder
	req := run.Request{Task: "Fix the flaky login", Agent: "command", AgentArgs: []string{"cat"}, Answer: &prompt}
	ctx, events := apptest.Heard(e.T.Context())
	res := apptest.Must(run.Run(ctx, e.m, req))(e.T)
	warnings := slices.DeleteFunc(*events, func(e app.Event) bool { return e.Kind != app.EventWarning })
	if len(warnings) != 1 || !strings.Contains(warnings[0].Text, why) || len(res.Run.Degraded) != 1 {
		e.T.Errorf("warned %+v, degraded %q, want %q", warnings, res.Run.Degraded, why)
	}
	if res.Run.Outcome != memory.OutcomeOK || !strings.Contains(prompt.String(), "races the clock") {
		e.T.Errorf("outcome %s, prompt %q", res.Run.Outcome, prompt.String())
	}
	if status := apptest.Must(setup.Status(e.T.Context(), e.m, setup.StatusRequest{}))(e.T).Status; !strings.Contains(fmt.Sprintf("%+v", status), why) {
		e.T.Errorf("status does not say %q: %+v", why, status)
	}
}

// wantDoctor checks the doctor's line on the embedder.
func (e *embedding) wantDoctor(want api.Grade) {
	e.T.Helper()
	checks := apptest.Must(setup.Doctor(e.T.Context(), e.m))(e.T).Checks
	i := slices.IndexFunc(checks, func(c api.Check) bool { return c.Name == "embedder" })
	if i < 0 || checks[i].Grade != want || (want == api.GradeWarn) != (checks[i].Hint != "") {
		e.T.Errorf("want %s of the embedder, have %+v", want, checks)
	}
}

// TestProviderInTrouble: while the provider fails, a run recalls by keywords, is recorded
// and ends as usual. The failure is reported once, shown by status and doctor, and
// the vectors are completed later. A provider that never answers would hang an operation
// that waits for it.
func TestProviderInTrouble(t *testing.T) {
	for mode, why := range map[string]string{
		down: "connection refused", silent: "no answer within 1s", dimension: "32 dimensions instead of 64", tooFew: "0 vectors for 1 texts",
		refusing: "set api_key_env in [embed]",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel() // the silent one waits
			e := newEmbedding(t)
			e.be(mode)
			e.m = e.Memory() // asCaller another command, which knows nothing of the provider
			e.wantRecalled(why)
			var block string
			warned := told(t, func(ctx context.Context) {
				block = apptest.Must(recall.Recall(ctx, e.m, recall.Request{Task: "Fix the flaky login"}))(t).Block
			})
			if len(warned) != 1 || !strings.HasPrefix(warned[0], "warning: searched by keywords only") || !strings.Contains(warned[0], why) || !strings.Contains(block, "races the clock") {
				t.Errorf("told %q, block %q", warned, block)
			}
			e.wantVectors(1, 1)
			if mode != dimension { // the doctor asks for one vector and does not know the index
				e.wantDoctor(api.GradeWarn)
			}
			e.be(well)
			e.m = e.Memory() // a Memory that stays open does not ask a failed provider again for half a minute
			wantMeaning(t, e.m)
			e.wantVectors(2, 0)
			e.wantDoctor(api.GradeOK)
		})
	}
}

// TestEmbedderChanges: vectors of another model, dimension or provider are
// computed again, and this is reported once.
func TestEmbedderChanges(t *testing.T) {
	e := newEmbedding(t)
	asked := len(e.texts())
	wantMeaning(t, e.m)
	if n := len(e.texts()) - asked; n != 1 {
		t.Errorf("%d texts were embedded for a query", n)
	}
	for _, settings := range []string{
		e.settings(`model = "other"`), e.settings(`model = "other"`, "dimensions = 16"), "[embed]\nprovider = \"local\"\n", e.settings(`model = "m"`),
	} {
		e.EmbedWith(settings)
		lines := told(t, func(ctx context.Context) {
			apptest.Must(search.Search(ctx, e.m, search.SearchRequest{Text: "flaky login", Limit: 5}))(t)
		})
		if len(lines) != 1 || !strings.Contains(lines[0], "the vectors are computed again") {
			t.Errorf("%s: told %q", settings, lines)
		}
		wantMeaning(t, e.m)
		e.wantVectors(1, 0)
	}
}

// TestEmbedderThatCannotBeMade: settings that make no embedder are no reason
// not to run.
func TestEmbedderThatCannotBeMade(t *testing.T) {
	e := newEmbedding(t)
	for _, c := range []struct{ lines, want string }{
		{"provider = \"openai\"", "set api_key_env in [embed]"},
		{"provider = \"openai\"\napi_key_env = \"NO_SUCH_KEY\"", "NO_SUCH_KEY, which api_key_env in [embed] names, is not set"},
		{"provider = \"ollama\"\nbase_url = \"ftp://x\"", "base_url in [embed]: want http"},
		{"provider = \"static\"\ndir = \"/no/such/model\"", "/no/such/model"},
	} {
		e.EmbedWith("[embed]\n" + c.lines + "\n")
		e.wantRecalled(c.want)
		e.wantDoctor(api.GradeWarn)
	}
}

// TestEmbedderBehindGateway sends no text to a provider's own server if a variable names
// another server for it.
func TestEmbedderBehindGateway(t *testing.T) {
	for _, c := range []struct{ provider, env, want string }{
		{"openai", "OPENAI_BASE_URL=https://gateway.example/v1", "OPENAI_BASE_URL names a server for openai, but embed.base_url is not set"},
		{"openai", "OPENAI_API_BASE=https://gateway.example/v1", "embed.base_url is not set"},
		{"glm", "ZAI_BASE_URL=https://gateway.example/v1", "embed.base_url is not set"},
		{"ollama", "OLLAMA_HOST=gpu.example:11434", "OLLAMA_HOST names a server for ollama, but embed.base_url is not set"},
		{"openai", "OPENAI_BASE_URL=https://api.openai.com/v1", ""},
		{"ollama", "OLLAMA_HOST=0.0.0.0:11434", ""},
		{"ollama", "OLLAMA_HOST=:11434", ""},
	} {
		m := apptest.Must(open.Open(t.Context(), t.TempDir(), app.Env{Vars: []string{c.env, "OPENAI_API_KEY=k"}}))(t)
		_, err := embedOf.Of(m.Begin(t.Context()), config.Embed{Provider: c.provider, APIKeyEnv: "OPENAI_API_KEY"})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s with %s: %v", c.provider, c.env, err)
		}
		m.Close()
	}
}

// TestClaudeEmbedder: an operation that is in a hurry, or that only reads, does not pay for
// an answer that comes too late.
func TestClaudeEmbedder(t *testing.T) {
	p := apptest.NewRepository(t)
	numbers := strings.Repeat("0.5,", 23) + "0.5"
	claude := p.Program("../home/bin/claude", "cat >/dev/null\necho \"$*\" >>"+p.Path("../calls")+
		"\necho '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"[["+numbers+"]]\"}'")
	t.Setenv("PATH", filepath.Dir(claude)+string(os.PathListSeparator)+os.Getenv("PATH"))
	p.Env = append(p.Env, "PATH="+os.Getenv("PATH"))
	p.EmbedWith("[embed]\nprovider = \"claude\"\n")
	m := p.Memory()
	apptest.Remembered(t, m, "The flaky login test races the clock.")
	for want, ask := range []func(context.Context){
		func(ctx context.Context) {
			apptest.Must(recall.Recall(ctx, m, recall.Request{Task: "Fix the flaky login"}))(t)
		},
		func(ctx context.Context) { apptest.Must(upkeep.Index(ctx, m, upkeep.IndexRequest{}))(t) },
		func(ctx context.Context) {
			apptest.Must(search.Search(ctx, m, search.SearchRequest{Text: "flaky", Limit: 5}))(t)
		},
	} {
		unrecorded := run.Request{Task: "Fix the flaky login", Agent: "command", AgentArgs: []string{"cat"}, NoRecord: true}
		if lines := told(t, func(ctx context.Context) {
			apptest.Must(recall.Recall(ctx, m, recall.Request{Task: "flaky login"}))(t)
			apptest.Must(setup.Status(ctx, m, setup.StatusRequest{}))(t)
			apptest.Must(setup.Doctor(ctx, m))(t)
			apptest.Must(run.Run(app.Quiet(ctx), m, unrecorded))(t)
		}); len(lines) > 0 {
			t.Errorf("before %d: told %q", want, lines)
		}
		ask(t.Context())
		asked := ""
		if p.Exists("../calls") {
			asked = p.Read("../calls")
		}
		if n := strings.Count(asked, "--system-prompt"); n != want {
			t.Errorf("asked %d times, want %d", n, want)
		}
	}
	wantMeaning(t, m)
}

// TestIndexWithoutItsProvider: the operation that computes vectors fails without
// the provider, but the text is indexed.
func TestIndexWithoutItsProvider(t *testing.T) {
	e := newEmbedding(t)
	e.be(down)
	apptest.Remembered(t, e.m, "Okapis are shy.")
	if done, err := upkeep.Index(t.Context(), e.m, upkeep.IndexRequest{}); err == nil || !strings.Contains(err.Error(), "completing the vectors") || done.Report == nil || done.Report.Pending != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	e.be(well)
	apptest.Must(upkeep.Index(t.Context(), e.m, upkeep.IndexRequest{}))(t)
	e.wantVectors(2, 0)
}

// TestProviderGetsNoSecrets: secrets in queries and in hand-written text are redacted
// before they reach a provider, and a measurement does not send them either.
func TestProviderGetsNoSecrets(t *testing.T) {
	e := newEmbedding(t)
	wantSent := func(times int) {
		t.Helper()
		all := strings.Join(e.texts(), "\n")
		if !strings.Contains(all, "since May") || strings.Count(all, "staging database") != times || strings.Contains(all, "horse") || strings.Contains(all, "staple") {
			t.Errorf("it was sent\n%s", all)
		}
	}
	e.Write(".agentflow/memory/hand.md", "# Staging\n\nThe staging database has DB_PASSWORD=correct-horse-9 since May.\n")
	apptest.Must(search.Search(t.Context(), e.m, search.SearchRequest{Text: "staging database DB_PASSWORD=battery-staple-7", Limit: 5}))(t)
	wantSent(2)
	e.Write("../questions.jsonl", `{"question":"staging database DB_PASSWORD=battery-staple-7","answers":[]}`+"\n")
	apptest.Must(eval.Queries(t.Context(), e.m, eval.QueriesRequest{Questions: e.Path("../questions.jsonl"), Folder: e.Path(".agentflow/memory"), Provider: "openai", K: 5}))(t)
	wantSent(4)
}

// TestWatchCompletesVectors: while a provider is down, a watcher still indexes text and
// reports the failure once. Later it completes the vectors.
func TestWatchCompletesVectors(t *testing.T) {
	e := newEmbedding(t)
	e.be(down)
	ctx, end := context.WithCancel(t.Context())
	ctx, sent := apptest.Events(ctx)
	over := make(chan error, 1)
	go func() {
		_, err := daemon.Watch(ctx, e.m, daemon.WatchRequest{Debounce: "10ms"})
		over <- err
		close(sent)
	}()
	said := func(want string) {
		t.Helper()
		for event := range sent {
			if strings.Contains(event.Text, want) {
				return
			}
			if event.Kind != app.EventProgress {
				t.Errorf("told %q, want %q", event.Text, want)
			}
		}
		t.Fatalf("the watcher ended; want %q", want)
	}
	note := func(name string) {
		e.Write(".agentflow/memory/"+name, "# "+name+"\n\nOkapis are shy.\n")
	}
	said("watching")
	note("one.md")
	said("indexed 1 changed file")
	said("completing the vectors: embed 1 texts with openai m")
	note("two.md")
	said("indexed 1 changed file")
	e.wantVectors(1, 2)
	e.be(well)
	said("no vector is missing any more")
	e.wantVectors(3, 0)
	note("three.md")
	said("indexed 1 changed file")
	end()
	if err := <-over; err != nil {
		t.Error(err)
	}
	for event := range sent {
		if event.Kind != app.EventProgress {
			t.Errorf("told %q at the end", event.Text)
		}
	}
}
