package executor

import "agentflow/executor/agent"

// The kinds of events that only the executor sends. They only reach Deps.Sink.
const (
	EventPhase    agent.Kind = "phase"    // Text is one of the Phase constants
	EventDegraded agent.Kind = "degraded" // Text says which part does not work
	EventSaved    agent.Kind = "saved"    // Text is a fact that was recorded
	EventRemark   agent.Kind = "remark"   // Text is one of the entry's remarks
)

// The phases that EventPhase announces, in order. PhaseVerify is only announced if the request
// has a check.
const (
	PhaseRecall = "recall"
	PhaseBegin  = "begin"
	PhaseAgent  = "agent"
	PhaseVerify = "verify"
	PhaseFinish = "finish"
	PhaseDone   = "done"
)
