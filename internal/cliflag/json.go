package cliflag

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"

	"agentflow/internal/jsonselect"
)

// JSON gives a command --json, which prints what, and which takes fields too,
// --json=id,task; and --jq, which turns --json on. What is asked for goes to
// selection.
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
