package api

// Passed returns a check that found no fault.
func Passed(name, detail string) Check {
	return Check{Name: name, Grade: GradeOK, Detail: detail}
}

// Warned returns a check that found a fault without which memory works.
func Warned(name, detail, hint string) Check {
	return Check{Name: name, Grade: GradeWarn, Detail: detail, Hint: hint}
}
