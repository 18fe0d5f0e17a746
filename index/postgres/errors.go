package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"agentflow/index/store"

	"github.com/jackc/pgx/v5/pgconn"
)

// SQLSTATEs: https://www.postgresql.org/docs/current/errcodes-appendix.html
const (
	lockNotAvailable     = "55P03"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	readOnlyTransaction  = "25006"
	insufficientRight    = "42501"
	adminShutdown        = "57P01"
	crashShutdown        = "57P02"
	cannotConnectNow     = "57P03"
)

// errReplaced means that a generation no longer exists.
var errReplaced = errors.New("another process rebuilt the index")

// passing reports whether the same operation may succeed if it is tried again.
func passing(err error) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return slices.Contains([]string{serializationFailure, deadlockDetected, adminShutdown, crashShutdown, cannotConnectNow}, e.Code)
	}
	var network interface { // net.Error
		error
		Timeout() bool
	}
	return errors.Is(err, errReplaced) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		pgconn.SafeToRetry(err) || errors.As(err, &network) && !network.Timeout()
}

// storeError converts an error into the errors that a store may return.
func storeError(err error) error {
	var e *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e) && (e.Code == lockNotAvailable || e.Code == serializationFailure || e.Code == deadlockDetected):
		return errors.Join(store.ErrBusy, err)
	case errors.As(err, &e) && (e.Code == readOnlyTransaction || e.Code == insufficientRight):
		return errors.Join(store.ErrUnwritable, err)
	}
	var c *pgconn.ConnectError
	if errors.As(err, &c) { // its message has host, user and database, but no password
		return fmt.Errorf("the database of the index does not answer: %w", err)
	}
	return err
}

// failing keeps the first error of a transaction.
type failing struct {
	ctx context.Context
	err error
}

// Err returns the first error.
func (f *failing) Err() error { return f.err }

// Fail records an error, unless there is one already.
func (f *failing) Fail(err error) {
	if f.err == nil {
		f.err = err
	}
}
