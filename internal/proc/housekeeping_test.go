package proc

import (
	"strings"
	"testing"
)

func TestHousekeeping(t *testing.T) {
	for words, want := range map[string][2]bool{
		"git gc --auto --quiet":                                {true, true},
		"/usr/bin/git maintenance run --auto --quiet --detach": {true, true},
		"git fsmonitor--daemon run --detach --ipc-threads=8":   {true, false},
		"git credential-cache--daemon /home/u/.cache/socket":   {true, false},
		"git repack -d -l -q":                                  {false, true},
		"git pack-objects --local --quiet pack":                {false, true},
		"git worktree prune --expire 3.months.ago":             {false, true},
		"git worktree add ../other":                            {false, false},
		"git gc":                                               {false, true},
		"git maintenance start":                                {false, true},
		"git checkout --auto":                                  {false, false},
		"git -c alias.x=!sh gc --auto":                         {false, false},
		"git --exec-path=/tmp gc --auto":                       {false, false},
		"sh gc --auto":                                         {false, false},
		"git":                                                  {false, false},
		"":                                                     {false, false},
	} {
		args := strings.Fields(words)
		if got := [2]bool{beginsHousekeeping(args), helpsHousekeeping(args)}; got != want {
			t.Errorf("%q: %v", words, got)
		}
	}
}
