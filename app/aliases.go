package app

// What the tests of cmd/agentflow read from --json until package api has it.
type (
	StatusObject   = statusObject
	RunObject      = runObject
	ScheduleObject = scheduleObject
	Check          = check
	Grade          = grade
)

const (
	GradeOK      = gradeOK
	GradeWarn    = gradeWarn
	LearningMark = learningMark
)
