package executor

func shell(command string) []string { return []string{"cmd", "/c", command} }
