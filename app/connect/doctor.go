package connect

import "agentflow/api"

func Failed(name, detail, hint string) api.Check {
	return api.Check{Name: name, Grade: api.GradeFail, Detail: detail, Hint: hint}
}
