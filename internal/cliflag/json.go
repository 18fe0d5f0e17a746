package cliflag

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agentflow/internal/jsonselect"
)

// JSON lets --json take fields, --json=id,title, and gives a command and those
// below it --jq, wherever they have --json. What is asked for goes to selection.
func JSON(cmd *cobra.Command, selection *jsonselect.Selection) {
	if f := cmd.Flags().Lookup("json"); f != nil {
		f.Value = &fieldsValue{Value: f.Value, selection: selection}
		f.Usage += "; --json=FIELD,… prints only these fields"
		cmd.Flags().Var(&filterValue{json: f, selection: selection}, "jq", "pass the JSON through this jq `expression`; texts are printed as they are")
		_ = cmd.RegisterFlagCompletionFunc("jq", cobra.NoFileCompletions)
	}
	for _, below := range cmd.Commands() {
		JSON(below, selection)
	}
}

// fieldsValue is a --json flag: a truth value, or a list of fields.
type fieldsValue struct {
	pflag.Value
	selection *jsonselect.Selection
}

func (f *fieldsValue) Set(text string) error {
	if _, err := strconv.ParseBool(text); err == nil {
		return f.Value.Set(text)
	}
	f.selection.Fields = strings.Split(text, ",")
	return f.Value.Set("true")
}

// filterValue is a --jq flag; it turns --json on.
type filterValue struct {
	text      string
	json      *pflag.Flag
	selection *jsonselect.Selection
}

func (f *filterValue) String() string { return f.text }
func (f *filterValue) Type() string   { return "string" }

func (f *filterValue) Set(text string) (err error) {
	f.text = text
	if f.selection.Filter, err = gojq.Parse(text); err != nil {
		return fmt.Errorf("reading the jq expression: %w", err)
	}
	f.json.Changed = true
	return f.json.Value.Set("true")
}
