package server

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"agentflow/app/team"

	"github.com/jackc/pgx/v5"
)

// sql asks the database, past all that guards it.
func (h *hall) sql(query string, args ...any) (lines []string) {
	h.t.Helper()
	c, err := pgx.Connect(h.t.Context(), h.dsn)
	if err != nil {
		h.t.Fatal(err)
	}
	defer c.Close(h.t.Context())
	rows, err := c.Query(h.t.Context(), query, args...)
	if err == nil {
		lines, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return lines
}

// expired makes a token that was valid.
func (h *hall) expired(name string) (secret string) {
	h.t.Helper()
	secret = h.token(team.TokenRequest{Name: name, Writes: true, Expires: "1h"})
	h.sql(`UPDATE agentflow_team.tokens SET expires=now()-interval '1 second' WHERE name=$1 RETURNING name`, name)
	return secret
}

// hashOf returns the hash that the database stores for a token, as a reader of
// the database would send it.
func (h *hall) hashOf(name string) string {
	return h.sql(`SELECT encode(hash, 'hex') FROM agentflow_team.tokens WHERE name=$1`, name)[0]
}

// dump returns all rows of the tables of a schema; "%" means all of our
// schemas.
func (h *hall) dump(schema string) string {
	var all []string
	for _, table := range h.sql(`SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname LIKE $1 AND schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`, schema) {
		all = append(all, table)
		all = append(all, h.sql(`SELECT t::text FROM `+table+` t ORDER BY 1`)...)
	}
	return strings.Join(all, "\n")
}

// TestTeamSecrets checks that the records contain no token, no value of a
// cookie and no text of a fact, and that no table contains a token.
func TestTeamSecrets(t *testing.T) {
	h := newHall(t, "")
	ada := h.token(team.TokenRequest{Name: "Ada", Writes: true})
	h.remember(ada, "shop", "The okapi sleeps at noon.")
	value, err := h.team.LogIn(t.Context(), ada)
	if err != nil {
		t.Fatal(err)
	}
	records, all := h.dump("agentflow_team"), h.dump("%")
	if !strings.Contains(records, "Ada") || !strings.Contains(records, "remember") || strings.Contains(records, "okapi") {
		t.Errorf("the records hold\n%s", records)
	}
	for _, secret := range []string{ada, ada[4:], value} {
		if strings.Contains(all, secret) || strings.Contains(all, hex.EncodeToString([]byte(secret))) {
			t.Errorf("%s is kept", secret)
		}
	}
}

// TestTeamAudit checks that each write has a line in the audit, and nothing
// else has.
func TestTeamAudit(t *testing.T) {
	h := newHall(t, "")
	ada, bob := h.token(team.TokenRequest{Name: "Ada", Writes: true}), h.token(team.TokenRequest{Name: "Bob"})
	id := h.remember(ada, "shop", "The okapi sleeps at noon.")
	one := facts + "/" + id
	want := []string{"Ada shop remember " + id}
	for _, c := range []struct{ method, target, body, operation string }{
		{"POST", facts, `{"text":"The okapi sleeps at noon."}`, ""}, // it is known
		{"PATCH", one, `{"text":"The okapi sleeps at night."}`, "memory edit"},
		{"PATCH", one, `{"text":"The okapi sleeps at night."}`, ""},
		{"PATCH", one, `{"type":"song"}`, ""},
		{"POST", one + "/pin", "", "pin"},
		{"POST", one + "/unpin", "", "unpin"},
		{"DELETE", one, "", "forget"},
		{"DELETE", one, "", ""},
		{"POST", one + "/restore", "", "memory restore"},
		{"GET", one, "", ""},
		{"POST", base + "/memory/search", `{"query":"okapi"}`, ""},
		{"POST", base + "/sync", `{}`, ""},
	} {
		h.ask(bob, c.method, c.target+"?repository=shop", c.body)
		w := h.ask(ada, c.method, c.target+"?repository=shop", c.body)
		if c.operation != "" {
			want = append([]string{fmt.Sprintf("Ada shop %s %s", c.operation, id)}, want...)
		}
		if got := h.changes(); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("%s %s (%d %s):\n%s\nwant\n%s", c.method, c.target, w.Code, w.Body, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if code, text := h.tool(ada, "/mcp/bank", "memory_store", `{"text":"The wombat digs."}`); code != 200 || len(h.changes()) != len(want)+1 || !strings.HasPrefix(h.changes()[0], "Ada bank remember ") {
		t.Errorf("a tool: %d %s, %q", code, text, h.changes()[0])
	}
}
