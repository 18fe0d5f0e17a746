package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"agentflow/app"
)

// confirm asks on a terminal; elsewhere it insists on --yes.
func (c *cli) confirm(question string, yes bool) error {
	if yes {
		return nil
	}
	if !c.inTTY || !c.errTTY {
		return &app.Error{Kind: app.KindUsage, Err: errors.New("asking for confirmation: not on a terminal"), Hint: "add --yes"}
	}
	if !c.agreed(question) {
		return &app.Error{Kind: app.KindRefused, Err: errors.New("nothing was changed")}
	}
	return nil
}

// agreed asks on the terminal that is there.
func (c *cli) agreed(question string) bool {
	fmt.Fprintf(c.err, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(c.in).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}
