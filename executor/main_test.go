package executor

import (
	"fmt"
	"os"
	"testing"

	"agentflow/internal/testing/scriptedagent"
)

// asVar makes the test program be another program of a test.
const asVar = "EXECUTOR_TEST_AS"

func TestMain(m *testing.M) {
	switch as := os.Getenv(asVar); as {
	case "":
		os.Exit(m.Run())
	case "agent":
		os.Exit(scriptedagent.Main())
	case "crash":
		os.Exit(crashMain())
	default:
		fmt.Fprintf(os.Stderr, "unknown %s=%s\n", asVar, as)
		os.Exit(2)
	}
}
