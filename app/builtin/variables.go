package builtin

import "slices"

// Variables are the environment variables with which an agent finds its settings, its login and its services.
type Variables struct {
	Folders  []string // with the places of its settings
	Services []string // how it reaches services; a value may hold a secret, as an address with a password does
	Keys     []string // that hold a secret
	Login    []string // names from Services and Keys; one of them is enough to log in
}

// variables has a row for each of Agents.
var variables = map[string]Variables{
	"claude": {
		Folders: []string{"CLAUDE_CONFIG_DIR"},
		Services: []string{"ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY",
			"ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_VERTEX_BASE_URL", "ANTHROPIC_VERTEX_PROJECT_ID", "ANTHROPIC_FOUNDRY_BASE_URL", "ANTHROPIC_FOUNDRY_RESOURCE", "CLOUD_ML_REGION",
			"AWS_REGION", "AWS_PROFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT"},
		Keys: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_FOUNDRY_API_KEY",
			"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK"},
		Login: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"},
	},
	"codex": {
		Folders:  []string{"CODEX_HOME"},
		Services: []string{"OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT"},
		Keys:     []string{"CODEX_API_KEY", "OPENAI_API_KEY"},
		Login:    []string{"CODEX_API_KEY", "OPENAI_API_KEY"},
	},
	"gemini": {
		Folders: []string{"GEMINI_CLI_HOME"},
		Services: []string{"GEMINI_MODEL", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA",
			"GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_APPLICATION_CREDENTIALS"},
		Keys:  []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
		Login: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA"},
	},
	"opencode": {
		Folders:  []string{"OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"},
		Services: []string{"AWS_REGION", "AWS_PROFILE", "GOOGLE_CLOUD_PROJECT", "GOOGLE_APPLICATION_CREDENTIALS"},
		Keys:     []string{"OPENCODE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"},
		Login:    []string{"OPENCODE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"},
	},
}

// Variables returns the variables of the agent.
func (b Agent) Variables() Variables { return variables[b.Name] }

// AllVariables returns the variables of all agents, each once.
func AllVariables() (all Variables) {
	for _, b := range Agents {
		v := b.Variables()
		all.Folders, all.Services = append(all.Folders, v.Folders...), append(all.Services, v.Services...)
		all.Keys, all.Login = append(all.Keys, v.Keys...), append(all.Login, v.Login...)
	}
	for _, list := range []*[]string{&all.Folders, &all.Services, &all.Keys, &all.Login} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return all
}
