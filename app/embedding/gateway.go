package embedding

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"agentflow/app"
)

// gateway describes how users send the programs of a provider to another server.
type gateway struct {
	setting   string   // the setting that names the server for us
	own       []string // hosts of the provider itself
	variables []string // environment variables that name a server for other programs
}

// gateways has the gateway of each provider that is called over HTTP.
var gateways = map[string]gateway{
	"anthropic": {"chat.base_url", []string{"api.anthropic.com"}, []string{"ANTHROPIC_BASE_URL"}},
	"bedrock":   {"chat.base_url", nil, []string{"ANTHROPIC_BEDROCK_BASE_URL", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_ENDPOINT_URL"}},
	"openai":    {"embed.base_url", []string{"api.openai.com"}, []string{"OPENAI_BASE_URL", "OPENAI_API_BASE"}},
	"glm":       {"embed.base_url", []string{"open.bigmodel.cn"}, []string{"ZHIPUAI_BASE_URL", "ZAI_BASE_URL"}},
	"ollama":    {"embed.base_url", []string{"", "localhost", "127.0.0.1", "::1", "0.0.0.0", "::"}, []string{"OLLAMA_HOST"}},
}

// RefuseGateway refuses to ask the provider's own server if baseURL is empty and a variable
// names another server. Our settings decide where memory goes, never the environment. But the
// key in the environment is probably that server's, and memory is probably meant for it.
func RefuseGateway(o *app.Operation, provider, baseURL string) error {
	g := gateways[provider]
	if baseURL != "" {
		return nil
	}
	for _, name := range g.variables {
		value := o.Getenv(name)
		if value == "" || slices.Contains(g.own, hostOf(value)) {
			continue
		}
		err := app.Usagef("%s names a server for %s, but %s is not set: nothing was sent", name, provider, g.setting)
		err.Hint = fmt.Sprintf(`'agentflow config set %s "$%s"' uses that server; set %s to the provider's own address to use that`, g.setting, name, g.setting)
		return err
	}
	return nil
}

// hostOf returns the host of an address, which may lack its scheme. It returns the address
// itself if it cannot be parsed.
func hostOf(address string) string {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.ToLower(u.Hostname())
}
