package cli

// Version is set by the Makefile (-ldflags "-X agentflow/cmd/agentflow/cli.Version=…").
var Version = "devel"
