package frozen

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/pgtest"

	"github.com/jackc/pgx/v5"
	_ "modernc.org/sqlite"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(labtest.Main{M: m})) }

// updates reports whether the tests write what they find instead of comparing it.
func updates() bool { return os.Getenv("UPDATE_FROZEN") != "" }

// TestTexts compares the hash of each text with the one in hashes.txt.
func TestTexts(t *testing.T) {
	l := labtest.New(t, "")
	l.Agentflow("remember", "A fact, for the index to be there.")
	texts := map[string]string{}
	helpTexts(l, texts)
	documents(t, texts)
	texts["MCP tools/list"] = toolList(l)
	texts["HTTP openapi.json"] = openAPI(l)
	texts["SQLite schema"] = sqliteSchema(l)
	texts["PostgreSQL schema"] = postgresSchema(l)

	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(&b, "%.16x %s\n", sha256.Sum256([]byte(texts[name])), name)
	}
	same(t, "testdata/hashes.txt", b.String())
}

// same compares a text with a file, line by line, or writes the file.
func same(t *testing.T, name, got string) {
	t.Helper()
	if updates() {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for line := range strings.Lines(got) {
		if !strings.Contains("\n"+want, "\n"+line) {
			t.Errorf("%s does not have %s", name, line)
		}
	}
	for line := range strings.Lines(want) {
		if !strings.Contains("\n"+got, "\n"+line) {
			t.Errorf("%s has, and the program has not: %s", name, line)
		}
	}
	if got != want && !t.Failed() {
		t.Errorf("%s has the lines in another order:\n%s", name, got)
	}
}

// helpTexts adds the help and the man page of each command. Man pages have the month in
// their first lines.
func helpTexts(l *labtest.Lab, texts map[string]string) {
	l.T.Helper()
	folder := l.T.TempDir()
	l.Agentflow("man", folder)
	pages, err := filepath.Glob(filepath.Join(folder, "*.1"))
	if err != nil || len(pages) < 50 {
		l.T.Fatalf("%d man pages: %v", len(pages), err)
	}
	month := regexp.MustCompile(`(?m)^\.TH .*$`)
	for _, page := range pages {
		name := strings.TrimSuffix(filepath.Base(page), ".1")
		texts["man "+name] = month.ReplaceAllString(l.Read(page), "")
		command := strings.Split(name, "-")[1:]
		texts["help "+name] = l.Agentflow(append(command, "--help")...)
	}
}

// documents adds the generated pages and the table of exit codes.
func documents(t *testing.T, texts map[string]string) {
	t.Helper()
	for _, name := range []string{"json.md", "settings.md", "usage.md"} {
		text, err := os.ReadFile(filepath.Join("../../../docs", name))
		if err != nil {
			t.Fatal(err)
		}
		texts["docs/"+name] = string(text)
	}
	_, codes, ok := strings.Cut(texts["docs/usage.md"], "| exit code |")
	if !ok {
		t.Fatal("docs/usage.md has no table of exit codes")
	}
	delete(texts, "docs/usage.md")
	texts["exit codes"], _, _ = strings.Cut(codes, "\n\n")
}

// toolList returns the answer of the MCP server to tools/list.
func toolList(l *labtest.Lab) string {
	l.T.Helper()
	cmd := l.Command("mcp")
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"frozen","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`)
	out, err := cmd.Output()
	if err != nil {
		l.T.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		var answer struct {
			ID     int
			Result json.RawMessage
		}
		if json.Unmarshal([]byte(line), &answer) == nil && answer.ID == 2 && len(answer.Result) > 0 {
			return string(answer.Result)
		}
	}
	l.T.Fatalf("no answer to tools/list: %s", out)
	return ""
}

// openAPI returns the description of the HTTP interface, as the server gives it.
func openAPI(l *labtest.Lab) string {
	l.T.Helper()
	socket := filepath.Join(l.T.TempDir(), "s") // short: the path of a socket has a limit
	server := l.Command("serve", "--socket", socket)
	if err := server.Start(); err != nil {
		l.T.Fatal(err)
	}
	defer func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}()
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	var text string
	labtest.Await(l.T, "the server's openapi.json", func() bool {
		request, err := http.NewRequest(http.MethodGet, "http://localhost/api/v1/openapi.json", nil)
		if err != nil {
			l.T.Fatal(err)
		}
		if token := filepath.Join(l.Home, "state/agentflow/serve-token"); l.Exists(token) {
			request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(l.Read(token)))
		}
		res, err := client.Do(request)
		if err != nil {
			return false
		}
		defer res.Body.Close()
		var b strings.Builder
		if err := res.Write(&b); err != nil || res.StatusCode != http.StatusOK {
			l.T.Fatalf("%s: %v", res.Status, err)
		}
		_, text, _ = strings.Cut(b.String(), "\r\n\r\n")
		return true
	})
	return text
}

// sqliteSchema returns the statements that made the tables of the index.
func sqliteSchema(l *labtest.Lab) string {
	l.T.Helper()
	l.Agentflow("index")
	files, err := filepath.Glob(filepath.Join(l.Repo, ".agentflow/state/index.db"))
	if err != nil || len(files) != 1 {
		l.T.Fatalf("%v, %v", files, err)
	}
	db, err := sql.Open("sqlite", files[0])
	if err != nil {
		l.T.Fatal(err)
	}
	defer db.Close()
	return all(l.T, func(yield func(string)) error {
		rows, err := db.Query("SELECT name || ': ' || coalesce(sql, '') FROM sqlite_master ORDER BY name")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				return err
			}
			yield(line)
		}
		return rows.Err()
	})
}

// postgresSchema returns the tables, columns and indexes of the index in PostgreSQL.
func postgresSchema(l *labtest.Lab) string {
	l.T.Helper()
	dsn := pgtest.Database(l.T)
	l.With("AGENTFLOW_INDEX_STORE=postgres", "AGENTFLOW_DSN="+dsn).Agentflow("index")
	c, err := pgx.Connect(l.T.Context(), dsn)
	if err != nil {
		l.T.Fatal(err)
	}
	defer c.Close(l.T.Context())
	return all(l.T, func(yield func(string)) error {
		rows, err := c.Query(l.T.Context(), `
			SELECT table_schema || '.' || table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable FROM information_schema.columns
			WHERE table_schema NOT IN ('pg_catalog', 'information_schema')
			UNION ALL SELECT schemaname || ' ' || indexdef FROM pg_indexes WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				return err
			}
			yield(line)
		}
		return rows.Err()
	})
}

// all joins the lines that a query yields. There is at least one.
func all(t testing.TB, query func(yield func(string)) error) string {
	t.Helper()
	var lines []string
	if err := query(func(line string) { lines = append(lines, line) }); err != nil || len(lines) == 0 {
		t.Fatalf("%d lines: %v", len(lines), err)
	}
	return strings.Join(lines, "\n")
}
