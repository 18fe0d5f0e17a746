package embed

import (
	"strings"
	"testing"
	"time"
)

func TestNewSaysWhatToDo(t *testing.T) {
	for want, o := range map[string]Options{
		`provider "word2vec": want local, none,`:               {Provider: "word2vec"},
		`provider "": want local`:                              {},
		"dimensions 4: want 16 to 4096":                        {Provider: "local", Dimensions: 4},
		"dimensions 5000: want 16 to 4096":                     {Provider: "local", Dimensions: 5000},
		"cannot be below zero":                                 {Provider: "ollama", Batch: -1},
		"embed with openai: no key: set api_key_env":           {Provider: "openai"},
		"embed with glm: no key: set api_key_env":              {Provider: "glm"},
		"no model: set model in [embed]":                       {Provider: "openai", BaseURL: "http://localhost:8080/v1"},
		"batch 65: a request carries at most 64":               {Provider: "glm", APIKey: secret, Batch: 65},
		"send the key to example.com in the clear: use https":  {Provider: "openai", APIKey: secret, Model: "m", BaseURL: "http://example.com/v1"},
		"send the key to 10.0.0.2:99 in the clear":             {Provider: "ollama", APIKey: secret, BaseURL: "http://10.0.0.2:99"},
		"without ? and #":                                      {Provider: "ollama", BaseURL: "http://localhost?key=" + secret},
		"want http://HOST:PORT or https://HOST/PATH, with":     {Provider: "ollama", BaseURL: "ftp://localhost"},
		"base_url in [embed]: want":                            {Provider: "ollama", BaseURL: "localhost:11434"},
		"base_url in [embed]: want http":                       {Provider: "ollama", BaseURL: "http://:11434"},
		"base_url in [embed] cannot be understood":             {Provider: "ollama", BaseURL: "http://a b/%zz" + secret},
		"user name or password":                                {Provider: "ollama", BaseURL: "https://me:" + secret + "@host"},
		"24 axes; leave dimensions in [embed] out":             {Provider: "claude", Dimensions: 256},
		"no environment for the CLI":                           {Provider: "claude"},
		"no folder: set dir in [embed]":                        {Provider: "static"},
		"config.json: no such file or directory; see dir in [": {Provider: "static", Dir: t.TempDir()},
	} {
		e, err := New(o)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "embed with ") {
			t.Errorf("%+v: %v, error %v", o, e, err)
		}
	}
}

func TestNewAccepts(t *testing.T) {
	for _, o := range []Options{
		{Provider: "local", Dimensions: 16}, {Provider: "ollama"}, {Provider: "ollama", BaseURL: "http://10.0.0.2:99"},
		{Provider: "ollama", BaseURL: "http://[::1]:99", APIKey: secret}, {Provider: "openai", BaseURL: "http://LocalHost:1/v1", Model: "m", APIKey: secret},
		{Provider: "openai", APIKey: secret, Timeout: time.Second}, {Provider: "glm", APIKey: secret, Batch: 64},
	} {
		e := mustNew(t, o)
		if info := e.Info(); strings.Contains(info.Identity, secret) || !strings.HasPrefix(info.Identity, o.Provider+"/") {
			t.Errorf("%+v", info)
		}
	}
	if e, err := New(Options{Provider: "none"}); e != nil || err != nil {
		t.Errorf("none is %v, %v", e, err)
	}
}
