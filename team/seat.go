package team

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// MaxSeats is how many servers of one database there are at most.
const MaxSeats = 64

// seatLock is the class of the advisory locks of seats: "AFST".
const seatLock = 0x41465354

// lookEvery is the time between two looks at whether a seat is still held, and the time
// that a look may take.
const lookEvery = time.Second

// Seat is a server's place among those of one database: the key under which it writes,
// which no other server has at the same time. A server that ends gives its seat free, and
// the next one takes it, with the key.
type Seat struct {
	Number int // from 1 on
	Key    ed25519.PrivateKey

	config *pgx.ConnConfig
	conn   *pgx.Conn
	held   atomic.Bool
}

// Sit takes the first free seat, and holds it as long as the connection lasts: see Keep.
func (r *Records) Sit(ctx context.Context) (*Seat, error) {
	s := &Seat{config: r.pool.Config().ConnConfig}
	for s.Number = 1; s.Number <= MaxSeats; s.Number++ {
		ok, err := s.take(ctx)
		if err != nil {
			return nil, fmt.Errorf("taking a seat among the servers: %w", err)
		}
		if ok {
			return s, nil
		}
	}
	return nil, fmt.Errorf("%d servers use this database already", MaxSeats)
}

// take takes the seat of s.Number unless somebody holds it. Errors are the database's.
func (s *Seat) take(ctx context.Context) (ok bool, err error) {
	if s.conn == nil || s.conn.IsClosed() {
		if s.conn, err = pgx.ConnectConfig(ctx, s.config); err != nil {
			return false, err
		}
	}
	if err = s.conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1, $2)`, seatLock, s.Number).Scan(&ok); err != nil || !ok {
		return false, err
	}
	seed := make([]byte, ed25519.SeedSize)
	_, _ = rand.Read(seed) // it never fails
	err = s.conn.QueryRow(ctx, `INSERT INTO seats(n, seed) VALUES($1,$2) ON CONFLICT(n) DO UPDATE SET n=excluded.n RETURNING seed`, s.Number, seed).Scan(&seed)
	if err != nil {
		return false, err
	}
	s.Key = ed25519.NewKeyFromSeed(seed)
	s.held.Store(true)
	return true, nil
}

// ErrLost means that another server took a seat while its holder could not reach the
// database.
var ErrLost = errors.New("another server has taken the place of this one")

// Held says whether the seat is surely this server's.
func (s *Seat) Held() bool { return s.held.Load() }

// Keep looks after the seat until ctx ends, and then gives it free. Where the database
// goes away, the seat is not held until it is back; ErrLost: somebody else has it then.
func (s *Seat) Keep(ctx context.Context) error {
	defer s.leave(context.WithoutCancel(ctx))
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for refused := 0; refused < 30; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		switch ok, err := s.look(ctx); {
		case err == nil && !ok: // our own connection's end may not be known there yet
			refused++
		default:
			refused = 0
		}
	}
	return ErrLost
}

// look says whether the seat is held, and takes it again where it was not.
func (s *Seat) look(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, lookEvery+connectTimeout)
	defer cancel()
	if s.held.Load() {
		err := s.conn.Ping(ctx)
		if err == nil {
			return true, nil
		}
		s.held.Store(false)
		return false, errors.Join(err, s.conn.Close(ctx))
	}
	return s.take(ctx)
}

func (s *Seat) leave(ctx context.Context) {
	s.held.Store(false)
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	_ = s.conn.Close(ctx) // which gives the lock free; a database that is away has done so
}
