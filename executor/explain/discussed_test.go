package explain

import "testing"

func TestDiscusses(t *testing.T) {
	const fact = "The tests need a running PostgreSQL on port 5433, because the migrations use its advisory locks."
	for name, c := range map[string]struct {
		answer string
		known  []string
		want   bool
	}{
		"nothing":      {"", nil, false},
		"short":        {"A test.", nil, false},
		"a greeting":   {"Hello! I am ready to help you with this repository now, because that is the reason why I am here. What shall we do?", nil, false},
		"a refusal":    {"I don't have permission to run that command, so I could not find out why the build fails since last week.", nil, false},
		"an apology":   {"Sorry, I cannot help with that since it is not something that I do, and this is the reason why.", nil, false},
		"questions":    {"Which of the two databases do you mean, since there are several of them here? And should the tool keep working without a server because of laptops?", nil, false},
		"narration":    {"Let me look at the parser because the tests of it fail since the last change of the grammar.", nil, false},
		"a decision":   {"We keep SQLite, because the tool has to work without a server on every laptop.", nil, true},
		"a reason":     {"The build fails on Windows because the path of the cache is too long for the linker.", nil, true},
		"no bug":       {"I cannot reproduce the failure: the scheduler test passes because the clock is fake, so the machine's zone does not matter.", nil, true},
		"memory":       {fact, []string{fact}, false},
		"reworded":     {"According to memory, the tests need a running PostgreSQL on port 5433, because the migrations use advisory locks.", []string{fact}, false},
		"memory, more": {fact + " The lock is taken in migrate.go, instead of in the tests, so that two deployments cannot migrate at once.", []string{fact}, true},
		"other memory": {"The build fails on Windows because the path of the cache is too long for the linker.", []string{fact}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Discusses(c.answer, c.known); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func FuzzDiscusses(f *testing.F) {
	f.Add("We keep it, because of that.", "We keep it.")
	f.Fuzz(func(t *testing.T, answer, known string) {
		if Discusses(answer, []string{answer}) && len(wordSet([]string{answer})) > 20 {
			t.Errorf("%q repeats itself", answer)
		}
		if Discusses(answer, []string{known}) && !Discusses(answer, nil) {
			t.Errorf("%q discusses something only beside %q", answer, known)
		}
	})
}
