package connect

import "agentflow/app/api"

// Failed returns a check that found a fault, with a hint how to repair it.
func Failed(name, detail, hint string) api.Check {
	return api.Check{Name: name, Grade: api.GradeFail, Detail: detail, Hint: hint}
}
