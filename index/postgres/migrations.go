package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/internal/pgtables"

	"github.com/jackc/pgx/v5"
)

// Migrations create the tables: see pgtables.Schema.
var migrations = []string{`
CREATE TABLE indexes(
	id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	repository text NOT NULL,
	live boolean NOT NULL DEFAULT false, -- it answers; one of a repository does
	identity text NOT NULL,              -- how its texts were cut
	layout int NOT NULL,                 -- of what is written for the same text
	chunks bigint NOT NULL DEFAULT 0, tokens bigint NOT NULL DEFAULT 0,
	writes bigint NOT NULL DEFAULT 0,    -- transactions that changed it: its edition
	listing bytea NOT NULL DEFAULT '',
	embedder text NOT NULL DEFAULT '', dimensions int NOT NULL DEFAULT 0,
	vectors bigint NOT NULL DEFAULT 0, cached bigint NOT NULL DEFAULT 0,
	last_chunk bigint NOT NULL DEFAULT 0, last_file bigint NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX indexes_live ON indexes(repository) WHERE live;
CREATE TABLE files(
	index int NOT NULL, id bigint NOT NULL, path text NOT NULL, sig bytea NOT NULL, hash bytea NOT NULL, size bigint NOT NULL,
	included boolean NOT NULL, author text NOT NULL, expires bigint, entries int NOT NULL DEFAULT 0, digest bytea,
	PRIMARY KEY(index, id), UNIQUE(index, path)) PARTITION BY LIST(index);
CREATE TABLE names(index int NOT NULL, name bigint NOT NULL, file bigint NOT NULL,
	PRIMARY KEY(index, name, file)) PARTITION BY LIST(index);
CREATE TABLE chunks(
	index int NOT NULL, id bigint NOT NULL, file bigint NOT NULL, key bigint NOT NULL, hash bytea,
	entry text NOT NULL, kind text NOT NULL, heading text NOT NULL, ns text NOT NULL, source text NOT NULL,
	ordinal int NOT NULL, start int NOT NULL, stop int NOT NULL, date bigint, zone bigint, branch text NOT NULL,
	commits text[] NOT NULL, paths text[] NOT NULL, types text[] NOT NULL, tags text[] NOT NULL, categories text[] NOT NULL,
	importance double precision NOT NULL, pinned boolean NOT NULL, undone boolean NOT NULL, idle boolean NOT NULL, bytool boolean NOT NULL, person text NOT NULL,
	terms bytea NOT NULL, length int NOT NULL, sum bigint NOT NULL, at int NOT NULL, text bytea NOT NULL,
	PRIMARY KEY(index, id)) PARTITION BY LIST(index);
CREATE INDEX chunks_file ON chunks(file, key);
CREATE INDEX chunks_date ON chunks(date DESC, id) WHERE date IS NOT NULL;
CREATE INDEX chunks_ns ON chunks(ns) WHERE ns<>'';
CREATE TABLE postings(index int NOT NULL, term int NOT NULL, block bigint NOT NULL, data bytea NOT NULL,
	PRIMARY KEY(index, term, block)) PARTITION BY LIST(index);
CREATE TABLE df(index int NOT NULL, bucket int NOT NULL, counts bytea NOT NULL,
	PRIMARY KEY(index, bucket)) PARTITION BY LIST(index);
CREATE TABLE vectors(index int NOT NULL, hash bytea NOT NULL, v bytea NOT NULL,
	PRIMARY KEY(index, hash)) PARTITION BY LIST(index);
CREATE TABLE signatures(index int NOT NULL, block bigint NOT NULL, edition bigint NOT NULL, bits bytea NOT NULL,
	PRIMARY KEY(index, block)) PARTITION BY LIST(index);
CREATE TABLE history(index int NOT NULL, block bigint NOT NULL, newest bigint NOT NULL, entries int NOT NULL, data bytea NOT NULL,
	PRIMARY KEY(index, block)) PARTITION BY LIST(index);
CREATE TABLE pending(index int NOT NULL, chunk bigint NOT NULL, hash bytea NOT NULL, text text NOT NULL, refused int NOT NULL DEFAULT 0,
	PRIMARY KEY(index, chunk)) PARTITION BY LIST(index);
ALTER TABLE postings ALTER data SET STORAGE EXTERNAL;
ALTER TABLE signatures ALTER bits SET STORAGE EXTERNAL;
ALTER TABLE chunks ALTER terms SET STORAGE EXTERNAL;
CREATE TABLE judgements(index int NOT NULL, entry text NOT NULL, terms bytea NOT NULL) PARTITION BY LIST(index);
`,
	// The planner's statistics are samples of the contents of columns. Columns
	// with texts are not sampled, because a purge could not reach the samples.
	`
ALTER TABLE files ALTER path SET STATISTICS 0, ALTER author SET STATISTICS 0, ALTER digest SET STATISTICS 0;
ALTER TABLE chunks ALTER heading SET STATISTICS 0, ALTER source SET STATISTICS 0, ALTER branch SET STATISTICS 0,
	ALTER commits SET STATISTICS 0, ALTER paths SET STATISTICS 0, ALTER types SET STATISTICS 0, ALTER tags SET STATISTICS 0, ALTER categories SET STATISTICS 0,
	ALTER person SET STATISTICS 0, ALTER terms SET STATISTICS 0, ALTER text SET STATISTICS 0;
ALTER TABLE postings ALTER data SET STATISTICS 0;
ALTER TABLE df ALTER counts SET STATISTICS 0;
ALTER TABLE vectors ALTER v SET STATISTICS 0;
ALTER TABLE signatures ALTER bits SET STATISTICS 0;
ALTER TABLE history ALTER data SET STATISTICS 0;
ALTER TABLE pending ALTER text SET STATISTICS 0;
ALTER TABLE judgements ALTER entry SET STATISTICS 0, ALTER terms SET STATISTICS 0;
`}

// tables have a partition for each index.
var tables = []string{"files", "names", "chunks", "postings", "df", "vectors", "signatures", "history", "pending", "judgements"}

// lookedUp lists the tables read while a fresh index is filled.
var lookedUp = []string{"files", "vectors", "df", "history", "signatures"}

// schema holds all tables.
const schema = "agentflow"

// migrationLock is the advisory lock for migrations: "AFIX".
const migrationLock = 0x41464958

// migrate updates the tables to this version.
func migrate(ctx context.Context, c *pgx.Conn) error {
	return pgtables.Schema{Name: schema, Lock: migrationLock, Migrations: migrations}.Migrate(ctx, c)
}

// partition creates the tables of an index. They are separate until attach,
// which also creates the indexes that are not needed while the tables are
// filled.
func partition(ctx context.Context, tx pgx.Tx, index int) error {
	var b strings.Builder
	for _, t := range tables {
		with := ""
		if slices.Contains(lookedUp, t) {
			with = "INCLUDING INDEXES "
		}
		fmt.Fprintf(&b, `CREATE TABLE %[1]s_%[2]d(LIKE %[1]s INCLUDING DEFAULTS INCLUDING STORAGE %[3]s, CHECK (index=%[2]d));`, t, index, with)
	}
	// Sample the new tables like the tables that they become partitions of.
	_, err := tx.Exec(ctx, b.String()+fmt.Sprintf(`DO $$ DECLARE c record; BEGIN
		FOR c IN SELECT relname, attname FROM pg_attribute JOIN pg_class ON pg_class.oid=attrelid
			WHERE relnamespace=current_schema()::regnamespace AND relkind='p' AND attnum>0 AND attstattarget=0 LOOP
			EXECUTE format('ALTER TABLE %%I ALTER %%I SET STATISTICS 0', c.relname||'_%d', c.attname);
		END LOOP; END $$`, index))
	return err
}

// attach makes the tables of an index partitions.
func attach(ctx context.Context, tx pgx.Tx, index int) error {
	var b strings.Builder
	for _, t := range tables {
		fmt.Fprintf(&b, `ALTER TABLE %[1]s ATTACH PARTITION %[1]s_%[2]d FOR VALUES IN (%[2]d);`, t, index)
	}
	_, err := tx.Exec(ctx, b.String())
	return err
}

// drop removes the tables of an index.
func drop(ctx context.Context, tx pgx.Tx, index int) error {
	var b strings.Builder
	for _, t := range tables {
		fmt.Fprintf(&b, `DROP TABLE IF EXISTS %s_%d;`, t, index)
	}
	_, err := tx.Exec(ctx, b.String()+fmt.Sprintf(`DELETE FROM indexes WHERE id=%d`, index))
	return err
}
