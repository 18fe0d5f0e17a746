package cliflag

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"

	"agentflow/internal/jsonselect"
)

// JSON adds the flags --json and --jq to a command and stores their values in
// selection. --json prints what, and also accepts fields, as in --json=id,task.
// --jq turns --json on.
func JSON(selection *jsonselect.Selection, what string, cmd *cobra.Command) *cobra.Command {
	flags := cmd.Flags()
	flags.Var(&value{kind: "bool", text: "false", set: func(text string) (err error) {
		if selection.Wanted, err = strconv.ParseBool(text); err != nil {
			selection.Wanted, selection.Fields = true, strings.Split(text, ",")
		}
		return nil
	}}, "json", what+"; --json=FIELD,… prints only these fields")
	flags.Lookup("json").NoOptDefVal = "true"
	flags.Var(&value{set: func(text string) (err error) {
		if selection.Filter, err = gojq.Parse(text); err != nil {
			return fmt.Errorf("reading the jq expression: %w", err)
		}
		selection.Wanted, flags.Lookup("json").Changed = true, true
		return nil
	}}, "jq", "pass the JSON through this jq `expression`; texts are printed as they are")
	_ = cmd.RegisterFlagCompletionFunc("jq", cobra.NoFileCompletions)
	return cmd
}
