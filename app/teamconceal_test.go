package app

import "testing"

// TestDatabaseIsConcealed: a caller of a team's server does not read where its database is.
func TestDatabaseIsConcealed(t *testing.T) {
	work := &Teamwork{Repository: "shop"}
	work.Conceal("git@example.com:shop.git", "/tmp/x/shop.git", "/tmp/x")
	for line, want := range map[string]string{
		"the index is kept in memory: the database of the index does not answer: failed to connect to `user=agentflow database=secretdb`:\n\t/run/secret/.s.PGSQL.5432 (/run/secret): dial error: dial unix /run/secret/.s.PGSQL.5432: connect: no such file or directory": "the index is kept in memory: the database of the index does not answer: it cannot be reached",
		"asking who it is: write unix @->/run/secret/.s.PGSQL.5432: broken pipe":                       "asking who it is: broken pipe",
		"reading: read tcp 10.0.0.5:4711->10.0.0.9:5432: i/o timeout":                                  "reading: i/o timeout",
		"opening /tmp/x/shop.git/agentflow/log: permission denied":                                     "opening shop/agentflow/log: permission denied",
		"the index is not up to date: 3 files of memory changed and will be read by the next commands": "the index is not up to date: 3 files of memory changed and will be read by the next commands",
	} {
		if got := work.concealed(line); got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", line, got, want)
		}
	}
}
