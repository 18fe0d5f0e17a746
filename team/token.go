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

// Token is a person's, or a program's, right to ask.
type Token struct {
	Name         string    // of the person or program: at most MaxName characters
	Repositories []string  // that it is for, by their names on the server; empty: all
	Writes       bool      // it may change memory
	Created      time.Time // by the database's clock
	Expires      time.Time // zero: never
}

// MaxName is how long a name is at most, in characters.
const MaxName = 100

// Errors about tokens, and of Exclude.
var (
	ErrUnknown = errors.New("nobody has this token, or it has expired")
	ErrTaken   = errors.New("there is a token of that name")
	ErrNone    = errors.New("there is no token of that name")
	ErrBusy    = errors.New("another server is writing for a long time")
)

// prefix begins each token, so that scanners for secrets find one that was put somewhere.
const prefix = "aft_"

// CheckName says why a name is no name of a token.
func CheckName(name string) error {
	odd := func(r rune) bool { return unicode.IsControl(r) || !unicode.IsPrint(r) }
	if name == "" || name != strings.TrimSpace(name) || !utf8.ValidString(name) || utf8.RuneCountInString(name) > MaxName || strings.ContainsFunc(name, odd) {
		return fmt.Errorf("a name has 1 to %d characters, none of them a control character", MaxName)
	}
	return nil
}

// Add makes a token and returns it: it is kept nowhere else. ErrTaken means that the name
// has one.
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

// hasCode says whether an error is PostgreSQL's with a code
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).
func hasCode(err error, code string) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == code
}

// busy is ErrBusy where an error says that a lock was waited for too long.
func busy(err error) error {
	if hasCode(err, "55P03") { // lock_not_available
		return ErrBusy
	}
	return err
}

// Revoke takes a token and its logins back. ErrNone means that there is none.
func (r *Records) Revoke(ctx context.Context, name string) error {
	done, err := r.pool.Exec(ctx, `DELETE FROM tokens WHERE name=$1`, name)
	if err == nil && done.RowsAffected() == 0 {
		err = ErrNone
	}
	return err
}

const tokenColumns = `t.name, t.repositories, t.writes, t.created, t.expires`

// Tokens are all, by name.
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

// one is the token that a query finds; ErrUnknown: it finds none.
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

// Find is the token that a secret is. It is looked up by its hash, so that the time tells
// nothing. ErrUnknown means that it is none, was revoked or has expired.
func (r *Records) Find(ctx context.Context, secret string) (Token, error) {
	return r.one(ctx, ` FROM tokens t WHERE t.hash=$1 AND (t.expires IS NULL OR t.expires>now())`, hashed(secret))
}

// LogIn begins a login of a token's owner, for life: the value is for a cookie.
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

// LoggedIn is the token of a login. ErrUnknown is as for Find.
func (r *Records) LoggedIn(ctx context.Context, value string) (Token, error) {
	return r.one(ctx, ` FROM logins l JOIN tokens t ON t.name=l.token
		WHERE l.hash=$1 AND l.expires>now() AND (t.expires IS NULL OR t.expires>now())`, hashed(value))
}

// LogOut ends a login; one that is not there is no error.
func (r *Records) LogOut(ctx context.Context, value string) error {
	_, err := r.pool.Exec(ctx, `DELETE FROM logins WHERE hash=$1`, hashed(value))
	return err
}

func hashed(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// filled is a list that is not nil: PostgreSQL tells an empty array from none.
func filled(list []string) []string { return append([]string{}, list...) }
