package team

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Change is a line of the audit: a change of a repository's memory.
type Change struct {
	Time       time.Time `json:"time"` // by the database's clock
	Name       string    `json:"name"` // of the token
	Repository string    `json:"repository"`
	Operation  string    `json:"operation"` // the command with the same effect
	IDs        []string  `json:"ids"`       // of the items that were written
}

// Note stores a change, with the current time as its Time.
func (r *Records) Note(ctx context.Context, c Change) error {
	_, err := r.pool.Exec(ctx, `INSERT INTO audit(name, repository, operation, ids) VALUES($1,$2,$3,$4)`, c.Name, c.Repository, c.Operation, filled(c.IDs))
	return err
}

// Changes returns the last changes, newest first.
func (r *Records) Changes(ctx context.Context, limit int) ([]Change, error) {
	rows, err := r.pool.Query(ctx, `SELECT at, name, repository, operation, ids FROM audit ORDER BY id DESC LIMIT $1`, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Change])
}
