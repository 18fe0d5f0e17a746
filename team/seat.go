package team

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Key is the key under which all servers of the database write shared memory, made at first
// use. Of two that make one at once, both get the same.
func (r *Records) Key(ctx context.Context) (ed25519.PrivateKey, error) {
	seed := make([]byte, ed25519.SeedSize)
	_, _ = rand.Read(seed) // it never fails
	err := r.pool.QueryRow(ctx, `INSERT INTO keys(n, seed) VALUES(1, $1) ON CONFLICT(n) DO UPDATE SET n=excluded.n RETURNING seed`, seed).Scan(&seed)
	if err != nil {
		return nil, fmt.Errorf("reading the servers' key: %w", err)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// MaxSeats is how many servers of one database there are at most.
const MaxSeats = 64

// The classes of advisory locks: of seats ("AFST"), and of whoever writes ("AFWR").
const (
	seatLock  = 0x41465354
	writeLock = 0x41465752
)

// seatCheckInterval is the time between two checks that a seat is still held.
const seatCheckInterval = 2 * time.Second

// Seat is a server's number among the servers of one database. It names the indexes of the
// server, so that a server that is started again finds those of one that has ended. Two
// servers with one number, as may happen while the database is away, do no harm: both bring
// the same indexes up to date.
type Seat struct {
	Number int // from 1 on

	config *pgx.ConnConfig
	conn   *pgx.Conn // which holds the lock; nil or closed: the seat has to be taken again
}

// Sit takes the first free seat, and holds it as long as its connection lasts: see Keep.
func (r *Records) Sit(ctx context.Context) (*Seat, error) {
	s := &Seat{config: r.pool.Config().ConnConfig}
	for s.Number = 1; s.Number <= MaxSeats; s.Number++ {
		ok, err := s.take(ctx)
		if err != nil {
			s.Leave(ctx)
			return nil, fmt.Errorf("taking a seat among the servers: %w", err)
		}
		if ok {
			return s, nil
		}
	}
	s.Leave(ctx)
	return nil, fmt.Errorf("%d servers use this database already", MaxSeats)
}

// take takes the seat of s.Number unless somebody holds it. Errors are the database's.
func (s *Seat) take(ctx context.Context) (ok bool, err error) {
	if s.conn == nil || s.conn.IsClosed() {
		if s.conn, err = pgx.ConnectConfig(ctx, s.config); err != nil {
			return false, err
		}
	}
	err = s.conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1, $2)`, seatLock, s.Number).Scan(&ok)
	return ok, err
}

// Keep holds the seat until ctx ends, and takes it again after the database was away; away
// hears once why it does not answer. One goroutine calls it.
func (s *Seat) Keep(ctx context.Context, away func(error)) {
	tick := time.NewTicker(seatCheckInterval)
	defer tick.Stop()
	held := true
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		look, cancel := context.WithTimeout(ctx, seatCheckInterval+connectTimeout)
		if held {
			if err := s.conn.Ping(look); err != nil {
				_ = s.conn.Close(look) // it is of no use any more
				if held = false; ctx.Err() == nil {
					away(err)
				}
			}
		} else if ok, err := s.take(look); err == nil {
			held = ok
		}
		cancel()
	}
}

// Leave gives the seat free. No Keep may be going on.
func (s *Seat) Leave(ctx context.Context) {
	if s.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTimeout)
	defer cancel()
	_ = s.conn.Close(ctx) // which gives the lock free; a database that is away has done so
}

// Exclude runs f while no other server writes the memory of a repository. It waits up to
// wait for its turn; the error of that is ErrBusy. Errors are the database's, and f's.
//
// Where the database loses the connection while f runs, another server may begin: git's
// lease on the ref then lets only one of the two push.
func (r *Records) Exclude(ctx context.Context, repository string, wait time.Duration, f func() error) error {
	c, err := r.turns.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	tx, err := c.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // which gives the lock free, as a lost connection does
	if _, err = tx.Exec(ctx, fmt.Sprintf(`SET LOCAL lock_timeout=%d; SET LOCAL statement_timeout=0; SET LOCAL idle_in_transaction_session_timeout=0`, max(wait.Milliseconds(), 1))); err != nil {
		return err
	}
	// In the simple protocol, which keeps no snapshot after the statement: with a snapshot
	// this transaction would keep the rows that f removes.
	if _, err = tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1, hashtext($2))`, pgx.QueryExecModeSimpleProtocol, writeLock, repository); err != nil {
		return busy(err)
	}
	return f()
}
