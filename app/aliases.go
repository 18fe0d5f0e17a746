package app

// What the tests of cmd/agentflow read from --json until package api has it.
type (
	RunObject = runObject
)

const (
	DeferredExtraction = deferredFile
)
