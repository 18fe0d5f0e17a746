// Postgres runs a PostgreSQL server in a temporary folder, until it is interrupted, and
// prints the DSN of a database in it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"agentflow/internal/testing/pgtest"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server, err := pgtest.New(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Remove()) }()
	dsn, err := server.Database(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("export AGENTFLOW_DSN=%q\n", dsn)
	<-ctx.Done()
	return nil
}
