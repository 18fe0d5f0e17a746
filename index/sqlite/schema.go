package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"agentflow/index/store"
)

const (
	appID = 0x41464958 // "AFIX"
	// SchemaVersion changes with the tables, and with the stored form of a
	// text: the tokenizer, the stemmer, the projection, the digest.
	SchemaVersion = 25
)

// The text of a chunk is read from its file, not stored, unless the file does
// not contain it verbatim. FTS5 gets a projection that is never read back, so
// its table is contentless. The projection consists of stems separated by
// spaces, which keeps FTS5's work small, and has the same terms as
// chunks.terms. df counts the chunks that hold a term, because a query of
// fts5vocab walks the term's whole list. A term is its 32-bit hash, as in
// chunks.terms.
const schema = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value ANY) WITHOUT ROWID;
CREATE TABLE files(
	id INTEGER PRIMARY KEY,
	path TEXT NOT NULL UNIQUE, -- with the source's prefix, '/' separated
	sig BLOB NOT NULL,         -- of the listing; empty: look at the contents next time
	hash BLOB NOT NULL,        -- SHA-256 of the contents; empty: look at them next time
	size INTEGER NOT NULL,
	expires INTEGER,           -- unix seconds: when the first fact of its chunks holds no longer
	entries INTEGER NOT NULL DEFAULT 0,
	digest BLOB,               -- what it holds in brief: see package digest; NULL: not known
	included INTEGER NOT NULL, -- 1: no memory of ours, but other Markdown of the repository
	author TEXT NOT NULL);     -- who shared it; empty: the user's own
CREATE INDEX files_expires ON files(expires) WHERE expires IS NOT NULL;
CREATE TABLE names(         -- what files may be asked for by: see digest.Name
	name INTEGER NOT NULL, file INTEGER NOT NULL, PRIMARY KEY(name, file)) WITHOUT ROWID;
CREATE INDEX names_file ON names(file);
CREATE TABLE chunks(
	id INTEGER PRIMARY KEY,
	file INTEGER NOT NULL,
	key INTEGER NOT NULL,      -- of all but the place in the file
	embedding INTEGER NOT NULL, -- its vector; 0: it waits for one, or the index has none
	entry TEXT NOT NULL, kind TEXT NOT NULL, heading TEXT NOT NULL,
	ns TEXT NOT NULL,          -- namespace of the one fact it is; empty: holds in the whole project
	source TEXT NOT NULL,      -- run out of whose entry the one fact it is was moved
	ordinal INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL, -- lines, inclusive
	date INTEGER, zone INTEGER, -- unix seconds; offset in seconds
	branch TEXT NOT NULL,
	commits BLOB NOT NULL, paths BLOB NOT NULL, types BLOB NOT NULL, tags BLOB NOT NULL, categories BLOB NOT NULL, -- NUL before, between and after
	importance REAL NOT NULL, pinned INTEGER NOT NULL,
	undone INTEGER NOT NULL,   -- 1: of a run that was taken back
	idle INTEGER NOT NULL,     -- 1: of a run in which nothing happened
	bytool INTEGER NOT NULL,   -- 1: agents stored it through tools
	person TEXT NOT NULL,      -- who stored it through a team's server
	sum INTEGER NOT NULL,      -- CRC-32C of text and terms
	terms BLOB NOT NULL,       -- sorted 32-bit little-endian hashes of stems
	at INTEGER NOT NULL, size INTEGER NOT NULL, -- bytes of the file that are its text
	text TEXT);                -- NULL: as the file has it there; else the file's, facts of other chunks blanked
CREATE INDEX chunks_file ON chunks(file, key);
CREATE INDEX chunks_apart ON chunks(ns) WHERE ns<>'';
CREATE TABLE judgements(entry TEXT NOT NULL, terms BLOB NOT NULL); -- what was useless; terms of the task, as in chunks
CREATE INDEX chunks_date ON chunks(date, id) WHERE ordinal=0 AND entry<>'' AND source=''; -- the newest entries
CREATE INDEX chunks_hand ON chunks(date, id) WHERE entry='' AND date IS NOT NULL; -- hand-written text that is dated
CREATE INDEX chunks_meaning ON chunks(id, embedding, date, key); -- what a vector is compared for, without the rest
CREATE TABLE pending(
	chunk INTEGER PRIMARY KEY, -- has no vector yet
	hash BLOB NOT NULL,        -- of what its vector is made of
	text TEXT NOT NULL,        -- what it is made of
	refused INTEGER NOT NULL DEFAULT 0); -- how often it was among several texts of which one was refused
CREATE INDEX pending_refused ON pending(refused, chunk);
CREATE TABLE blocks(
	id INTEGER PRIMARY KEY,    -- of the chunks id*1024 to id*1024+1023
	bits BLOB NOT NULL);       -- see block
CREATE TABLE IF NOT EXISTS embeddings(
	id INTEGER PRIMARY KEY,
	hash BLOB NOT NULL UNIQUE, -- of what the vector is made of
	v BLOB NOT NULL);          -- packed vector; empty: the text has none
CREATE TABLE history(
	id INTEGER PRIMARY KEY,    -- of the chunks id*256 to id*256+255
	newest INTEGER NOT NULL,   -- Unix seconds: date of the newest entry
	entries INTEGER NOT NULL,
	data BLOB NOT NULL);       -- see files.Block
CREATE INDEX history_newest ON history(newest, id);
CREATE TABLE df(
	bucket INTEGER PRIMARY KEY, -- first bits of the terms
	counts BLOB NOT NULL);      -- see bucket
CREATE VIRTUAL TABLE fts USING fts5(title, body, files, content='', contentless_delete=1,
	tokenize="ascii tokenchars '_'");
INSERT INTO fts(fts, rank) VALUES('hashsize', 16777216);
INSERT INTO meta VALUES('chunks', 0), ('writes', 0), ('digest', x'');
`

// createSchema creates the tables in an open transaction and drops all existing
// ones. The version is part of the transaction.
func createSchema(ctx context.Context, c *sql.Conn, o store.Options) error {
	key := o.Embedder
	vectors, keep, err := reusableCache(ctx, c, key)
	if err != nil {
		return fmt.Errorf("looking at the vectors: %w", err)
	}
	if !keep {
		vectors = store.Vectors{Embedder: key}
	}
	if err := dropAll(ctx, c, keep); err != nil {
		return fmt.Errorf("dropping the old tables: %w", err)
	}
	if _, err := c.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", appID, SchemaVersion)); err != nil {
		return fmt.Errorf("creating the tables: %w", err)
	}
	if _, err := c.ExecContext(ctx, `INSERT INTO meta VALUES('identity', ?)`, o.Identity); err != nil {
		return fmt.Errorf("noting how texts are cut: %w", err)
	}
	if err := writeVectors(ctx, c, vectors); err != nil {
		return fmt.Errorf("noting the embedder of the vectors: %w", err)
	}
	return nil
}

// dropAll drops virtual tables first, which also drops their shadow tables. It
// may keep the cache of vectors, because they may have cost money.
func dropAll(ctx context.Context, c *sql.Conn, keepCache bool) error {
	names, err := column[string](ctx, c, `SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%'
		AND NOT (?1 AND name='embeddings') ORDER BY sql LIKE 'CREATE VIRTUAL%' DESC`, keepCache)
	if err != nil {
		return err
	}
	for _, n := range names {
		if _, err := c.ExecContext(ctx, `DROP TABLE IF EXISTS "`+n+`"`); err != nil {
			return err
		}
	}
	return nil
}
