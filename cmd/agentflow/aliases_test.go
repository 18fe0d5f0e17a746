package main

import (
	"agentflow/api"
	"agentflow/app"
)

type (
	statusObject   = api.Status
	runObject      = app.RunObject
	scheduleObject = api.Schedule
	check          = api.Check
	grade          = api.Grade
)

const (
	gradeOK            = api.GradeOK
	gradeWarn          = api.GradeWarn
	deferredExtraction = app.DeferredExtraction
)
