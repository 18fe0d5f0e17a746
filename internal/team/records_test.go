package team

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/pgtest"
)

func open(t *testing.T, dsn string) *Records {
	t.Helper()
	r, err := Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func database(t *testing.T) (*pgtest.Server, string) {
	t.Helper()
	server := pgtest.Started(t)
	dsn, err := server.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return server, dsn
}

// TestOpenAtOnce: many servers that begin at once on an empty database find the same tables,
// the same key, and seats of their own.
func TestOpenAtOnce(t *testing.T) {
	_, dsn := database(t)
	const servers = 6
	var keys [servers][]byte
	var seats [servers]int
	var all sync.WaitGroup
	for i := range servers {
		all.Go(func() {
			r, err := Open(t.Context(), dsn)
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(r.Close)
			key, err := r.Key(t.Context())
			if err != nil {
				t.Error(err)
			}
			seat, err := r.Sit(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { seat.Leave(context.Background()) })
			keys[i], seats[i] = key, seat.Number
		})
	}
	all.Wait()
	slices.Sort(seats[:])
	if !slices.Equal(seats[:], []int{1, 2, 3, 4, 5, 6}) {
		t.Errorf("seats %v", seats)
	}
	for _, k := range keys {
		if !bytes.Equal(k, keys[0]) || len(k) == 0 {
			t.Error("the servers have several keys")
		}
	}
}

// TestSeats: a seat that is left is the next one's, and one that the database took away is
// taken again.
func TestSeats(t *testing.T) {
	server, dsn := database(t)
	r := open(t, dsn)
	sit := func() *Seat {
		t.Helper()
		s, err := r.Sit(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first, second := sit(), sit()
	for range 50 {
		first.Leave(t.Context())
		if first = sit(); first.Number != 1 || second.Number != 2 {
			t.Fatalf("seats %d, %d", first.Number, second.Number)
		}
	}
	ctx, end := context.WithCancel(t.Context())
	told := make(chan error, 1)
	over := make(chan struct{})
	go func() { defer close(over); second.Keep(ctx, func(err error) { told <- err }) }()
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-told:
		if err == nil {
			t.Error("the loss of the database has no reason")
		}
	case <-time.After(time.Minute):
		t.Fatal("nobody was told that the database is away")
	}
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	labtest.Await(t, "the seat to be taken again", func() bool {
		var held bool
		err := r.pool.QueryRow(t.Context(), `SELECT EXISTS(SELECT 1 FROM pg_locks WHERE locktype='advisory' AND classid=$1 AND objid=2 AND granted)`, seatLock).Scan(&held)
		return err == nil && held
	})
	end()
	<-over
}

// TestExclude: only one of the writers of a repository's memory runs at a time. A writer of
// another repository does not wait.
func TestExclude(t *testing.T) {
	_, dsn := database(t)
	a, b := open(t, dsn), open(t, dsn)
	var inside, most int
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			err := []*Records{a, b}[i%2].Exclude(t.Context(), "shop", time.Minute, func() error {
				mu.Lock()
				inside++
				most = max(most, inside)
				mu.Unlock()
				_, err := a.Tokens(t.Context())
				mu.Lock()
				inside--
				mu.Unlock()
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most != 1 {
		t.Errorf("%d wrote at once", most)
	}
	failed := errors.New("it failed")
	err := a.Exclude(t.Context(), "shop", time.Minute, func() error {
		if err := b.Exclude(t.Context(), "shop", 10*time.Millisecond, func() error { return nil }); !errors.Is(err, ErrBusy) {
			t.Errorf("beside another writer: %v", err)
		}
		if err := b.Exclude(t.Context(), "bank", time.Minute, func() error { return nil }); err != nil {
			t.Errorf("another repository: %v", err)
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("the error of what was done: %v", err)
	}
	if err := b.Exclude(t.Context(), "shop", time.Second, func() error { return nil }); err != nil {
		t.Errorf("after one that failed: %v", err)
	}
}

// TestTokens: a secret works until it expires or is revoked, and is not stored.
func TestTokens(t *testing.T) {
	_, dsn := database(t)
	r := open(t, dsn)
	ctx := t.Context()
	secret, err := r.Add(ctx, Token{Name: "Ada", Writes: true, Repositories: []string{"shop"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Add(ctx, Token{Name: "Ada"}); !errors.Is(err, ErrTaken) {
		t.Errorf("a second token of one name: %v", err)
	}
	found, err := r.Find(ctx, secret)
	if err != nil || found.Name != "Ada" || !found.Writes || !slices.Equal(found.Repositories, []string{"shop"}) {
		t.Errorf("%+v, %v", found, err)
	}
	cookie, err := r.LogIn(ctx, secret, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	brief, err := r.LogIn(ctx, secret, -time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]error{cookie: nil, brief: ErrUnknown, secret: ErrUnknown, "": ErrUnknown} {
		if _, err := r.LoggedIn(ctx, value); !errors.Is(err, want) {
			t.Errorf("the login %q: %v", value, err)
		}
	}
	if err := r.LogOut(ctx, cookie); err != nil {
		t.Error(err)
	}
	if _, err := r.LoggedIn(ctx, cookie); !errors.Is(err, ErrUnknown) {
		t.Errorf("after logging out: %v", err)
	}
	for _, c := range []string{secret[:len(secret)-1], secret + "x", "", "aft_"} {
		if _, err := r.Find(ctx, c); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v", c, err)
		}
	}
	for _, table := range []string{"tokens", "logins", "keys", "audit"} {
		var text string
		if err := r.pool.QueryRow(ctx, fmt.Sprintf(`SELECT coalesce(string_agg(t::text, ' '), '') FROM %s t`, table)).Scan(&text); err != nil || bytes.Contains([]byte(text), []byte(secret[4:])) {
			t.Errorf("%s holds the secret, or: %v", table, err)
		}
	}
	if err := r.Revoke(ctx, "Ada"); err != nil {
		t.Error(err)
	}
	if err := r.Revoke(ctx, "Ada"); !errors.Is(err, ErrNone) {
		t.Errorf("a second revocation: %v", err)
	}
}
