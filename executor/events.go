package executor

import "agentflow/executor/agent"

// The kinds of events that are the executor's own. They only reach Deps.Sink.
const (
	EventPhase    agent.Kind = "phase"    // Text is a Phase… constant
	EventDegraded agent.Kind = "degraded" // Text says which part does not work
	EventSaved    agent.Kind = "saved"    // Text is a fact that was recorded
	EventRemark   agent.Kind = "remark"   // Text is one of the entry's remarks
)

// The phases that EventPhase announces, in order; PhaseVerify only when there
// is something to verify.
const (
	PhaseRecall = "recall"
	PhaseBegin  = "begin"
	PhaseAgent  = "agent"
	PhaseVerify = "verify"
	PhaseFinish = "finish"
	PhaseDone   = "done"
)
