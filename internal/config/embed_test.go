package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestEmbedSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	write(t, file, "[embed]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"https://x\"\napi_key_env = \"MY_KEY_2\"\n"+
		"dimensions = 512\nbatch = 16\ntimeout = \"30s\"\ndir = \"/models/a\"\n")
	c, problems, err := Load(Layers{UserFile: file})
	want := Embed{Provider: "openai", Model: "m", BaseURL: "https://x", APIKeyEnv: "MY_KEY_2", Dimensions: 512, Batch: 16, Timeout: 30 * time.Second, Dir: "/models/a"}
	if err != nil || len(problems) != 0 || c.Embed != want {
		t.Errorf("have %+v, problems %v, error %v", c.Embed, problems, err)
	}
	// A repository may not choose where its texts are sent.
	c, problems, err = Load(Layers{RepoFile: file})
	if err != nil || len(problems) != 8 || c.Embed != Defaults().Embed {
		t.Errorf("from a repository: %+v, problems %v, error %v", c.Embed, problems, err)
	}
}

func TestEmbedSettingsThatAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	for _, text := range []string{
		"provider = \"word2vec\"", "dimensions = -1", "batch = 5000", "timeout = \"soon\"",
		"api_key_env = \"sk-proj-1234\"", "api_key_env = \"${KEY}\"", "api_key_env = 7",
	} {
		write(t, file, "[embed]\n"+text+"\n")
		c, problems, err := Load(Layers{UserFile: file})
		want := Defaults().Embed
		if rest, ok := strings.CutPrefix(text, "provider = "); ok {
			want.Provider = strings.Trim(rest, `"`) // an existing value is kept, not replaced by the default
		}
		if err != nil || len(problems) != 1 || c.Embed != want {
			t.Errorf("%s: %+v, problems %v, error %v", text, c.Embed, problems, err)
		}
		if strings.Contains(fmt.Sprint(problems), "sk-proj") {
			t.Errorf("a key is repeated: %v", problems)
		}
	}
}
