package words

import "testing"

func TestNormal(t *testing.T) {
	same := [][]string{
		{"The login test depends on the clock.", "login test depends on clock", "  LOGIN   test depends\non the Clock!", "**The login test** depends on the clock", "**The** **login** *test* depends **on** the **clock.**!", "The Login Test Depends On A Clock"},
		{"Wait for a test", "WAIT FOR A TEST", "Wait For A Test!"},
		{"Don't push to main.", "do not push to main", "DO NOT PUSH TO MAIN", "Don’t push to “main”"},
		{"Use `make test`, then tag.", "use make test then tag"},
		{"We cannot log in", "we can't log-in", "We can not log in!"},
		{"使用 制表符。", "使用制表符"},
		{"Ｆｕｌｌ width", "full width"},
		{"See cmd/main.go.", "see (cmd/main.go)"},
		{"It takes 5s", "it takes 5s."},
		{"Run it — then wait", "run it, then wait"},
	}
	for _, list := range same {
		for _, s := range list[1:] {
			if Normal(s) != Normal(list[0]) {
				t.Errorf("%q and %q differ: %q, %q", list[0], s, Normal(list[0]), Normal(s))
			}
		}
	}
	differ := [][2]string{
		{"The server calls the client", "The client calls the server"},
		{"The port is 5432", "The port is 5433"},
		{"It takes 10² steps", "It takes 102 steps"},
		{"Half is ½", "Half is 12"},
		{"Push to main", "Never push to main"},
		{"Push to main", "Do not push to main"},
		{"All tests run in CI", "No tests run in CI"},
		{"Lint before build", "Lint after build"},
		{"You must tag", "You may tag"},
		{"The client is called", "The client called"},
		{"Use LoginTest", "Use loginTest"},
		{"Use --force", "Use force"},
		{"Use -v", "Use v"},
		{"Set a_b", "Set ab"},
		{"Call __init__", "Call init"},
		{"Pass *args and *kwargs", "Pass args and kwargs"},
		{"go test ./...", "go test ./"},
		{"Read /etc/hosts", "Read etc/hosts"},
		{"Version v1.2.3", "Version v1.2.4"},
		{"Returns {}", "Returns []"},
		{"Returns {}", "Returns"},
		{"Is it safe?", "It is safe"},
		{"Deploys are safe?", "Deploys are safe"},
		{"Use plan A", "Use the plan"},
		{"x != y", "x == y"},
		{"Keep it < 5", "Keep it > 5"},
		{"Written in C", "Written in C++"},
		{"Written in C", "Written in C#"},
		{"不要使用制表符", "使用制表符"},
		{"Use `Make`", "Use `make`"},
		{"Deploy to staging", "Deploy from staging"},
		{"It is 5", "It is -5"},
		{"The database was Postgres", "The database is Postgres"},
		{"Everything but the tests", "Everything and the tests"},
		{"git checkout -- file", "git checkout file"},
		{"Only the owner may push", "The owner may push"},
	}
	for _, pair := range differ {
		if Normal(pair[0]) == Normal(pair[1]) {
			t.Errorf("%q and %q are the same: %q", pair[0], pair[1], Normal(pair[0]))
		}
	}
}
