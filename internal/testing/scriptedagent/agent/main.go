// Scriptedagent is package scriptedagent as a program.
package main

import (
	"os"

	"agentflow/internal/testing/scriptedagent"
)

func main() { os.Exit(scriptedagent.Main()) }
