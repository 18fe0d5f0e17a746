package server

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/fact"
	"agentflow/app/open"
	"agentflow/app/share"
	"agentflow/app/team"
	"agentflow/internal/testing/labtest"
	"agentflow/mcp"
	"agentflow/server/page"

	"github.com/jackc/pgx/v5"
)

// reads returns how often each route, view of the page and tool is asked.
// AGENTFLOW_READS overrides the number.
func reads(t *testing.T) int {
	text := os.Getenv("AGENTFLOW_READS")
	if text == "" {
		return 10
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("AGENTFLOW_READS is %q", text)
	}
	return n
}

// few is how often a request that writes is sent: a team's server pushes each
// write.
const few = 2

// question is a request that a test sends repeatedly.
type question struct {
	method, target, body, accept string
	writes, stream               bool
	code                         int // of the first answer
}

// tools returns the arguments of the tools, about a fact.
func tools(id string) map[string]string {
	all := map[string]string{"memory_search": `{"query":"secret of the okapi"}`, "memory_get": fmt.Sprintf(`{"id":%q}`, id), "memory_list": `{}`,
		"files_for_task": `{"task":"find the secret of the okapi"}`, "why": `{"path":"README","line":1}`}
	changing := changingTools(id)
	delete(changing, "memory_delete") // the others need the fact
	maps.Copy(all, changing)
	return all
}

// questions returns all requests that can be made about a fact of a repository.
func questions(repository, toolsPath, id string) (list []question) {
	for _, r := range routes() {
		if r.method == remove { // the others need the fact
			continue
		}
		target, body := targetOf(r, id)
		list = append(list, question{method: r.method, target: ofRepository(target, repository), body: body, stream: r.stream,
			writes: r.method != get && !slices.Contains(readingPosts, r.path)})
	}
	for _, path := range []string{"/", "/?q=secret+okapi", "/timeline", "/live", "/entry/" + id, "/similar/" + id, "/facts", "/contradictions", "/memory", "/memory?file=memory/MEMORY.md", "/files", "/files?path=README", "/health"} {
		list = append(list, question{method: get, target: ofRepository(path, repository), accept: "text/html"})
	}
	changing := changingTools(id)
	for name, arguments := range tools(id) {
		list = append(list, question{method: post, target: toolsPath, accept: "application/json, text/event-stream", writes: changing[name] != "",
			body: fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments)})
	}
	return list
}

// begun is a response recorder that ends its request after the first part of
// the response.
type begun struct {
	*httptest.ResponseRecorder
	end context.CancelFunc
}

func (b begun) FlushError() error {
	b.end()
	return nil
}

// put makes the request once, and is the status of the answer.
func (q question) put(t *testing.T, do func(http.ResponseWriter, *http.Request), request func(method, target, body string) *http.Request) int {
	t.Helper()
	r := request(q.method, q.target, q.body)
	if q.accept != "" {
		r.Header.Set("Accept", q.accept)
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
	defer cancel()
	w := begun{httptest.NewRecorder(), func() {}}
	if q.stream {
		w.end = cancel
	}
	do(w, r.WithContext(ctx))
	if w.Code >= 500 {
		t.Fatalf("%s %s: %d %s", q.method, q.target, w.Code, w.Body)
	}
	return w.Code
}

// holdings counts the scarce resources that a server holds.
type holdings struct{ connections, indexes, files, goroutines, heap int }

// holds counts them after finished work has released its share.
func holds(t *testing.T, of []Repository, dsn string) (h holdings) {
	t.Helper()
	for _, r := range of {
		h.indexes += r.Memory.Indexes.InUse()
	}
	if dsn != "" {
		c, err := pgx.Connect(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(t.Context())
		err = c.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname=current_database() AND pid<>pg_backend_pid() AND backend_type='client backend'`).Scan(&h.connections)
		if err != nil {
			t.Fatal(err)
		}
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err == nil {
		h.files = len(open)
	}
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h.heap, h.goroutines = int(m.HeapAlloc), runtime.NumGoroutine()
	return h
}

// slack is what may be open for a moment: a connection of a pool that grew for
// a search of several repositories, or a check of the remote.
var slack = holdings{connections: 6, indexes: 1, files: 16, goroutines: 16, heap: 8 << 20}

func (h holdings) within(before holdings) bool {
	return h.connections <= before.connections+slack.connections && h.indexes <= before.indexes+slack.indexes && h.files <= before.files+slack.files &&
		h.goroutines <= before.goroutines+slack.goroutines && h.heap <= before.heap+slack.heap
}

// askAll sends each request repeatedly, and checks that nothing stays open.
func (s *Server) askAll(t *testing.T, list []question, dsn string, request func(method, target, body string) *http.Request) {
	for i, q := range list {
		if list[i].code = q.put(t, s.ServeHTTP, request); list[i].code == http.StatusTooManyRequests || list[i].code == http.StatusUnauthorized {
			t.Fatalf("%s %s: %d", q.method, q.target, list[i].code)
		}
	}
	n, start := reads(t), holds(t, s.options.Repositories, dsn)
	for _, q := range list {
		t.Run(q.method+" "+q.target+" "+q.body, func(t *testing.T) {
			times := n
			if q.writes {
				times = min(n, few)
			}
			s.askAgain(t, q, times, dsn, request)
		})
	}
	end := holds(t, s.options.Repositories, dsn)
	if t.Logf("at the start %+v, at the end %+v", start, end); !end.within(start) {
		t.Error("more is held than at the start")
	}
}

// askAgain sends one request several times, and checks that nothing stays open.
func (s *Server) askAgain(t *testing.T, q question, times int, dsn string, request func(method, target, body string) *http.Request) {
	before, began := holds(t, s.options.Repositories, dsn), time.Now()
	for range times {
		if code := q.put(t, s.ServeHTTP, request); !q.writes && code != q.code {
			t.Fatalf("%d, and %d at first", code, q.code)
		}
	}
	took, after := time.Since(began), holds(t, s.options.Repositories, dsn)
	for deadline := time.Now().Add(3 * time.Second); !after.within(before) && time.Now().Before(deadline); {
		runtime.Gosched()
		after = holds(t, s.options.Repositories, dsn)
	}
	if t.Logf("%d times %d in %v: %+v before, %+v after", times, q.code, took.Round(time.Millisecond), before, after); !after.within(before) {
		t.Error("more is held than before")
	}
}

// shareInto acts as a colleague who shares a fact through a remote.
func shareInto(t *testing.T, remote string) {
	t.Helper()
	l := labtest.Repository(t)
	l.Git("remote", "add", "origin", remote)
	l.Git("push", "-q", "origin", "HEAD:main")
	m, err := open.Open(t.Context(), l.Repo, app.Env{Vars: l.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	text := "A colleague's secret of the okapi."
	if _, err := fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: &text}}); err != nil {
		t.Fatal(err)
	}
	plan, err := share.PlanShare(t.Context(), m, share.Request{})
	if err == nil {
		_, err = share.ApplyShare(t.Context(), m, plan)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestReadsOfATeamHoldNothing checks that after any number of requests a team's
// server uses as many connections, files, goroutines and bytes as before.
func TestReadsOfATeamHoldNothing(t *testing.T) {
	h, ada, _, _, id, _ := scopes(t)
	for _, remote := range h.remotes {
		shareInto(t, remote)
	}
	for _, name := range []string{"shop", "bank"} {
		if w := h.ask(ada, post, base+"/sync?repository="+name, "{}"); w.Code != 200 {
			t.Fatal(w.Body)
		}
	}
	asked := 0 // the clock does not move, so that a token may use only its burst
	request := func(method, target, body string) *http.Request {
		if asked++; asked%50_000 == 0 {
			ada = h.token(team.TokenRequest{Name: fmt.Sprint("Ada", asked), Writes: true})
		}
		return h.request(ada, method, target, body)
	}
	h.server.askAll(t, append(questions("shop", "/mcp/shop", id), questions("*", "/mcp", id)...), h.dsn, request)
}

// TestReadsOfAMemoryHoldNothing is the same for one memory, with an index in
// SQLite.
func TestReadsOfAMemoryHoldNothing(t *testing.T) {
	remote := labtest.Folder(t)
	remote.Git("init", "-q", "--bare")
	shareInto(t, remote.Repo)
	h := newHouse(t, func(o *Options) {
		o.Page = page.New(page.Options{Version: "test", Repositories: o.Repositories})
		o.MCP = func(m *app.Memory) http.Handler {
			return mcp.Stateless(mcp.Options{Version: "test"})(func(*http.Request) *app.Memory { return m })
		}
	})
	h.Git("remote", "add", "origin", remote.Repo)
	id := h.remember("The secret of the okapi is green.").Fact.ID
	plan, err := share.PlanShare(t.Context(), h.memory, share.Request{})
	if err == nil {
		_, err = share.ApplyShare(t.Context(), h.memory, plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	named := func(method, target, body string) *http.Request {
		return request(method, target, body, host(h.server.access.(*localAccess).hosts[0]))
	}
	h.server.askAll(t, questions("repo", "/mcp", id), "", named)
}
