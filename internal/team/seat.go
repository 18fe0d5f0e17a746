package team

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Key returns the key with which all servers of the database write shared memory. It makes the
// key at first use. If two servers make one at once, both get the same.
func (r *Records) Key(ctx context.Context) (ed25519.PrivateKey, error) {
	seed := make([]byte, ed25519.SeedSize)
	_, _ = rand.Read(seed) // it never fails
	err := r.pool.QueryRow(ctx, `INSERT INTO keys(n, seed) VALUES(1, $1) ON CONFLICT(n) DO UPDATE SET n=excluded.n RETURNING seed`, seed).Scan(&seed)
	if err != nil {
		return nil, fmt.Errorf("reading the servers' key: %w", err)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// MaxSeats limits the servers of one database.
const MaxSeats = 64

// The classes of advisory locks: for seats ("AFST"), and for writing ("AFWR").
const (
	seatLock  = 0x41465354
	writeLock = 0x41465752
)

// seatCheckInterval separates two checks that a seat is still held.
const seatCheckInterval = 2 * time.Second

// Seat is a server's number among the servers of one database. It is part of the names of the
// server's indexes, so that a restarted server finds the indexes of one that has ended. Two
// servers may have one number after the database was unavailable. That does no harm, because
// both update the same indexes.
type Seat struct {
	Number int // starts at 1

	config *pgx.ConnConfig
	conn   *pgx.Conn // holds the lock; nil or closed: the seat has to be taken again
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

// take takes the seat of s.Number, unless another server holds it. Errors are the database's.
func (s *Seat) take(ctx context.Context) (ok bool, err error) {
	if s.conn == nil || s.conn.IsClosed() {
		if s.conn, err = pgx.ConnectConfig(ctx, s.config); err != nil {
			return false, err
		}
	}
	err = s.conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1, $2)`, seatLock, s.Number).Scan(&ok)
	return ok, err
}

// Keep holds the seat until ctx ends, and takes it again after the database was unavailable. It
// calls away once per outage, with the error. Only one goroutine may call it.
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
				_ = s.conn.Close(look) // it is of no further use
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

// Leave releases the seat: when it returns, the next server can take it. Keep must have returned.
func (s *Seat) Leave(ctx context.Context) {
	if s.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTimeout)
	defer cancel()
	// The server notices a closed connection only later. If the database is unavailable, it has
	// released the lock already.
	_, _ = s.conn.Exec(ctx, `SELECT pg_advisory_unlock($1, $2)`, seatLock, s.Number)
	_ = s.conn.Close(ctx)
}

// Exclude runs f while no other server writes the memory of a repository. It waits up to wait
// for its turn, and then returns ErrBusy. Other errors come from the database or from f.
//
// If the database loses the connection while f runs, another server may begin. Then git's lease
// on the ref lets only one of the two push.
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
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // which releases the lock, like a lost connection
	if _, err = tx.Exec(ctx, fmt.Sprintf(`SET LOCAL lock_timeout=%d; SET LOCAL statement_timeout=0; SET LOCAL idle_in_transaction_session_timeout=0`, max(wait.Milliseconds(), 1))); err != nil {
		return err
	}
	// Use the simple protocol, which keeps no snapshot after the statement. With a snapshot,
	// this transaction would keep the rows that f removes.
	if _, err = tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1, hashtext($2))`, pgx.QueryExecModeSimpleProtocol, writeLock, repository); err != nil {
		return busy(err)
	}
	return f()
}
