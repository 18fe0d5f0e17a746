package config

// chatKeys returns the settings of conversations. A repository cannot set them:
// they decide where memory is sent, and which variable is sent with it as a
// key.
func chatKeys(c *Chat) []key {
	g := group{user: true, own: true, strict: true}
	return []key{
		g.text("chat.provider", &c.Provider, "`anthropic` or `bedrock`", oneOf("anthropic", "bedrock")),
		g.text("chat.model", &c.Model, "the model; empty: claude-sonnet-5-5 (anthropic). Bedrock needs one: the id of a model or of an inference profile"),
		g.text("chat.region", &c.Region, "Bedrock's region; empty: what AWS_REGION or AWS_DEFAULT_REGION says"),
		g.text("chat.base_url", &c.BaseURL, "address of another server that speaks the provider's protocol, https or on this machine; empty: the provider's own. `chat` refuses to start if it is empty and ANTHROPIC_BASE_URL names another server"),
		g.variable("chat.key_env", &c.KeyEnv, "name of the environment variable that holds the key; empty: ANTHROPIC_API_KEY, for Bedrock AWS_ACCESS_KEY_ID; with ANTHROPIC_AUTH_TOKEN the key is sent as a bearer token"),
		g.variable("chat.secret_env", &c.SecretEnv, "name of the variable that holds Bedrock's secret access key; empty: AWS_SECRET_ACCESS_KEY"),
		g.variable("chat.session_env", &c.SessionEnv, "name of the variable that holds Bedrock's session token, if there is one; empty: AWS_SESSION_TOKEN"),
		g.integer("chat.max_turns", &c.MaxTurns, "requests to the model for one question, 1 to 1,000", 1, 1000),
		g.number("chat.max_cost", &c.MaxCost, "US dollars that one `agentflow chat` may cost; 0: no limit", 0, endless),
	}
}
