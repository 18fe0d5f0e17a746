// Scriptedagent is package scriptedagent as a program.
package main

import (
	"os"

	"agentflow/internal/scriptedagent"
)

func main() { os.Exit(scriptedagent.Main()) }
