package team

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Token is the access right of a person or a program.
type Token struct {
	Name         string    // the name of the person or program: at most MaxName characters
	Repositories []string  // the names of the repositories on the server to which it gives access; empty: all
	Writes       bool      // it may change memory
	Created      time.Time // by the database's clock
	Expires      time.Time // zero: never
}

// MaxName limits the length of a name, in characters.
const MaxName = 100

// Errors about tokens, and of Exclude.
var (
	ErrUnknown = errors.New("this token does not exist, or it has expired")
	ErrTaken   = errors.New("there is a token of that name")
	ErrNone    = errors.New("there is no token of that name")
	ErrBusy    = errors.New("another server is writing for a long time")
)

// prefix begins each token, so that scanners for secrets can find a leaked one.
const prefix = "aft_"

// CheckName returns an error if a name is not valid for a token.
func CheckName(name string) error {
	odd := func(r rune) bool { return unicode.IsControl(r) || !unicode.IsPrint(r) }
	if name == "" || name != strings.TrimSpace(name) || !utf8.ValidString(name) || utf8.RuneCountInString(name) > MaxName || strings.ContainsFunc(name, odd) {
		return fmt.Errorf("a name has 1 to %d characters, none of them a control character", MaxName)
	}
	return nil
}

// Add makes a token and returns its secret, which is not stored. ErrTaken means that the name
// has a token.
func (r *Records) Add(ctx context.Context, t Token) (secret string, err error) {
	secret = prefix + rand.Text() + rand.Text()
	var expires *time.Time
	if !t.Expires.IsZero() {
		expires = &t.Expires
	}
	_, err = r.pool.Exec(ctx, `INSERT INTO tokens(name, hash, repositories, writes, expires) VALUES($1,$2,$3,$4,$5)`, t.Name, hashed(secret), filled(t.Repositories), t.Writes, expires)
	if hasCode(err, "23505") { // unique_violation
		return "", ErrTaken
	}
	return secret, err
}

// hasCode reports whether an error comes from PostgreSQL with this code
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).
func hasCode(err error, code string) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == code
}

// busy returns ErrBusy if an error says that a wait for a lock timed out, otherwise the error.
func busy(err error) error {
	if hasCode(err, "55P03") { // lock_not_available
		return ErrBusy
	}
	return err
}

// Revoke removes a token and its logins. ErrNone means that there is no such token.
func (r *Records) Revoke(ctx context.Context, name string) error {
	done, err := r.pool.Exec(ctx, `DELETE FROM tokens WHERE name=$1`, name)
	if err == nil && done.RowsAffected() == 0 {
		err = ErrNone
	}
	return err
}

const tokenColumns = `t.name, t.repositories, t.writes, t.created, t.expires`

// Tokens returns all tokens, by name.
func (r *Records) Tokens(ctx context.Context) ([]Token, error) {
	rows, err := r.pool.Query(ctx, `SELECT `+tokenColumns+` FROM tokens t ORDER BY t.name`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanToken)
}

func scanToken(row pgx.CollectableRow) (t Token, err error) {
	var expires *time.Time
	if err = row.Scan(&t.Name, &t.Repositories, &t.Writes, &t.Created, &expires); expires != nil {
		t.Expires = *expires
	}
	return t, err
}

// one returns the token that a query finds, or ErrUnknown if it finds none.
func (r *Records) one(ctx context.Context, sql string, args ...any) (Token, error) {
	rows, err := r.pool.Query(ctx, `SELECT `+tokenColumns+sql, args...)
	if err != nil {
		return Token{}, err
	}
	t, err := pgx.CollectExactlyOneRow(rows, scanToken)
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrUnknown
	}
	return t, err
}

// Find returns the token with a secret. It looks the token up by its hash, so that response
// times reveal nothing. ErrUnknown means that there is no such token, or that it was revoked or
// has expired.
func (r *Records) Find(ctx context.Context, secret string) (Token, error) {
	return r.one(ctx, ` FROM tokens t WHERE t.hash=$1 AND (t.expires IS NULL OR t.expires>now())`, hashed(secret))
}

// LogIn begins a login of a token's owner that lasts for life. It returns the value for a
// cookie.
func (r *Records) LogIn(ctx context.Context, secret string, life time.Duration) (value string, err error) {
	t, err := r.Find(ctx, secret)
	if err != nil {
		return "", err
	}
	value = rand.Text()
	_, err = r.pool.Exec(ctx, `WITH old AS (DELETE FROM logins WHERE expires<now())
		INSERT INTO logins(hash, token, expires) VALUES($1, $2, now()+$3)`, hashed(value), t.Name, life)
	return value, err
}

// LoggedIn returns the token of a login. ErrUnknown has the same meaning as for Find.
func (r *Records) LoggedIn(ctx context.Context, value string) (Token, error) {
	return r.one(ctx, ` FROM logins l JOIN tokens t ON t.name=l.token
		WHERE l.hash=$1 AND l.expires>now() AND (t.expires IS NULL OR t.expires>now())`, hashed(value))
}

// LogOut ends a login. It is no error if there is no such login.
func (r *Records) LogOut(ctx context.Context, value string) error {
	_, err := r.pool.Exec(ctx, `DELETE FROM logins WHERE hash=$1`, hashed(value))
	return err
}

func hashed(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// filled returns a copy of the list that is not nil: PostgreSQL distinguishes an empty array
// from NULL.
func filled(list []string) []string { return append([]string{}, list...) }
