package daemon_test

import (
	"testing"

	"agentflow/internal/testing/apptest"
)

func TestMain(m *testing.M) { apptest.Main(m) }
