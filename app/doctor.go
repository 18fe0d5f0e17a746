package app

import "agentflow/app/api"

// Passed returns a check that found no fault.
func Passed(name, detail string) api.Check {
	return api.Check{Name: name, Grade: api.GradeOK, Detail: detail}
}

// Warned returns a check that found a fault without which memory works.
func Warned(name, detail, hint string) api.Check {
	return api.Check{Name: name, Grade: api.GradeWarn, Detail: detail, Hint: hint}
}
