package app

import (
	"time"

	"agentflow/memory"

	"github.com/spf13/cobra"
)

// completeFacts offers the newest facts that hold.
func (a *operation) completeFacts(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	quiet := *a
	quiet.quiet = true
	list, err := quiet.chosen(cmd.Context(), factQuery{now: time.Now()})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	(&factOrder{}).sort(list)
	const offered = 20
	var out []string
	for _, k := range list[:min(offered, len(list))] {
		out = append(out, memory.ShortID(k.ID)+"\t"+memory.Title(k.Text))
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
