package main

import "agentflow/app"

type (
	statusObject   = app.StatusObject
	runObject      = app.RunObject
	scheduleObject = app.ScheduleObject
	check          = app.Check
	grade          = app.Grade
)

const (
	gradeOK      = app.GradeOK
	gradeWarn    = app.GradeWarn
	learningMark = app.LearningMark
)
