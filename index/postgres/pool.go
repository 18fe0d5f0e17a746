package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// MaxConnections limits the connections of one process to one database, for all
// its open indexes together. "pool_max_conns" in a DSN overrides it.
const MaxConnections = 12

// idleTime limits the time of a connection without use.
const idleTime = 5 * time.Minute

// pool is this process's pool of connections to one database. All stores with
// the same DSN share it, and the last one to close it closes the connections.
//
// A goroutine must not wait for a second connection while it holds one: the
// holders could wait for each other.
type pool struct {
	*pgxpool.Pool
	dsn   string
	users int
}

var pools = struct {
	sync.Mutex
	of map[string]*pool // by DSN
}{of: map[string]*pool{}}

// connect returns the pool of a DSN. libpq's environment variables and files
// apply, as for any client.
func connect(ctx context.Context, dsn string) (*pool, error) {
	pools.Lock()
	defer pools.Unlock()
	p := pools.of[dsn]
	if p == nil {
		config, err := configOf(dsn)
		if err != nil {
			return nil, err
		}
		inner, err := pgxpool.NewWithConfig(context.WithoutCancel(ctx), config)
		if err != nil {
			return nil, err
		}
		p = &pool{Pool: inner, dsn: dsn}
		pools.of[dsn] = p
	}
	p.users++
	return p, nil
}

// Close ends one store's use of the pool. The last user waits for calls in
// progress.
func (p *pool) Close() {
	if p.leave() {
		p.Pool.Close()
	}
}

// leave ends one store's use of the pool and reports whether it was the last
// use.
func (p *pool) leave() (last bool) {
	pools.Lock()
	defer pools.Unlock()
	p.users--
	if p.users == 0 {
		delete(pools.of, p.dsn)
	}
	return p.users == 0
}

func configOf(dsn string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("the DSN of the index store cannot be read") // pgx's error may quote a password
	}
	if !strings.Contains(dsn, "pool_max_conns") {
		config.MaxConns = MaxConnections
	}
	config.MaxConnIdleTime = idleTime
	p := config.ConnConfig.RuntimeParams
	p["search_path"], p["application_name"] = schema, "agentflow"
	p["statement_timeout"], p["lock_timeout"] = milliseconds(statementTimeout), milliseconds(lockTimeout)
	p["maintenance_work_mem"] = indexMemory
	p["jit"] = "off" // compiling takes longer than our queries
	p["idle_in_transaction_session_timeout"] = milliseconds(statementTimeout)
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	return config, nil
}

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }
