package scriptedagent

import (
	"errors"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// verb is the implementation of a step with its minimum and maximum number of
// words; most is -1 for no maximum.
type verb struct {
	least, most int
	do          func(a *agent, args []string) error
}

// exit is an error that ends the agent with an exit code and without further
// output.
type exit int

func (e exit) Error() string { return "exit code " + strconv.Itoa(int(e)) }

var verbs = map[string]verb{
	"say":    {1, -1, func(a *agent, args []string) error { a.out.say(strings.Join(args, " ")); return nil }},
	"write":  {2, 2, func(a *agent, args []string) error { return a.write(args[0], args[1]) }},
	"copy":   {2, 2, copyFile},
	"edit":   {3, 3, edit},
	"read":   {1, 1, read},
	"sh":     {1, -1, func(a *agent, args []string) error { return a.shell(strings.Join(args, " ")) }},
	"commit": {2, -1, commit},
	"start":  {1, -1, start},
	"sub":    {1, -1, func(a *agent, args []string) error { a.out.sub(strings.Join(args, " ")); return nil }},
	"deny":   {2, -1, deny},
	"flood":  {1, 2, flood},
	"raw":    {1, -1, func(a *agent, args []string) error { return print(a.stdout, args) }},
	"stderr": {1, -1, func(a *agent, args []string) error { return print(a.stderr, args) }},
	"prompt": {1, 1, func(a *agent, args []string) error { return os.WriteFile(args[0], []byte(a.prompt), 0o644) }},
	"touch":  {1, 1, func(a *agent, args []string) error { return os.WriteFile(args[0], nil, 0o644) }},
	"wait":   {1, 1, func(a *agent, args []string) error { return wait(args[0], time.Minute) }},
	"cost":   {1, 1, cost},
	"deaf":   {0, 0, func(*agent, []string) error { signal.Ignore(os.Interrupt, syscall.SIGTERM); return nil }},
	"silent": {0, 0, func(*agent, []string) error {
		time.Sleep(10 * time.Minute)
		return errors.New("the silence lasted too long")
	}},
	"fail": {1, -1, fail},
	"exit": {1, 1, exitWith},
	"die":  {0, 0, die},
}
