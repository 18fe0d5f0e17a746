// Package pgtables manages tables in PostgreSQL: it creates their schema and
// updates them to the version that a program needs.
package pgtables

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Schema is a schema of tables with the statements that create it, version by
// version. Statements that were released never change; new ones are appended.
type Schema struct {
	Name       string
	Lock       int64 // the advisory lock for migrations
	Migrations []string
}

// Migrate updates the tables to the version of s. Several processes may call it
// at once. It returns an error for a database with a newer version.
func (s Schema) Migrate(ctx context.Context, c *pgx.Conn) error {
	return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, s.Lock))
		if err == nil {
			_, err = tx.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS `+s.Name+`; SET LOCAL search_path=`+s.Name+`; CREATE TABLE IF NOT EXISTS version(n int NOT NULL)`)
		}
		var done int
		if err == nil {
			err = tx.QueryRow(ctx, `SELECT coalesce(max(n), 0) FROM version`).Scan(&done)
		}
		if err != nil {
			return fmt.Errorf("looking at the version of the tables: %w", err)
		}
		if done > len(s.Migrations) {
			return fmt.Errorf("the database's tables are of version %d, this program knows %d: update it", done, len(s.Migrations))
		}
		for i, statements := range s.Migrations[done:] {
			if _, err := tx.Exec(ctx, statements+fmt.Sprintf(`; INSERT INTO version VALUES(%d)`, done+i+1)); err != nil {
				return fmt.Errorf("migration %d: %w", done+i+1, err)
			}
		}
		return nil
	})
}
