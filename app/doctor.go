package app

import "agentflow/api"

func Passed(name, detail string) api.Check {
	return api.Check{Name: name, Grade: api.GradeOK, Detail: detail}
}

func Warned(name, detail, hint string) api.Check {
	return api.Check{Name: name, Grade: api.GradeWarn, Detail: detail, Hint: hint}
}
