package times

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// field is one of the five, with what a message says may stand in it.
type field struct {
	name, holds string
	parser      cron.Parser
}

var fields = []field{
	{"minute", "0 to 59", cron.NewParser(cron.Minute)},
	{"hour", "0 to 23", cron.NewParser(cron.Hour)},
	{"day of the month", "1 to 31", cron.NewParser(cron.Dom)},
	{"month", "1 to 12 or jan to dec", cron.NewParser(cron.Month)},
	{"day of the week", "0 to 6 (0 is Sunday) or sun to sat", cron.NewParser(cron.Dow)},
}

var names = []string{"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}

// longest is more than any expression needs, in bytes.
const longest = 1000

// check says what is wrong with an expression, and in which field. It also
// keeps from the parser what makes that one panic: a zone without the rest.
func check(expression string) error {
	if len(expression) > longest {
		return fmt.Errorf("want at most %d characters, have %d", longest, len(expression))
	}
	if strings.Contains(expression, "TZ=") {
		return fmt.Errorf("want no time zone in %q: zone says it", expression)
	}
	if strings.HasPrefix(expression, "@") {
		return checkNamed(expression)
	}
	have := strings.Fields(expression)
	if len(have) != len(fields) {
		return fmt.Errorf("want five fields (minute, hour, day of the month, month, day of the week) or a name such as @daily, have %d in %q",
			len(have), expression)
	}
	for i, f := range fields {
		if _, err := f.parser.Parse(have[i]); err != nil {
			return fmt.Errorf("%s: want %s, *, or ranges, steps and lists of them, have %q", f.name, f.holds, have[i])
		}
	}
	return nil
}

func checkNamed(expression string) error {
	if text, ok := strings.CutPrefix(expression, "@every "); ok {
		every, err := time.ParseDuration(strings.TrimSpace(text))
		if err != nil || every < time.Minute {
			return fmt.Errorf("want @every and a duration of at least 1m, have %q", expression)
		}
		return nil
	}
	if !slices.Contains(names, expression) {
		return fmt.Errorf("want %s or @every 2h, have %q", strings.Join(names, ", "), expression)
	}
	return nil
}
