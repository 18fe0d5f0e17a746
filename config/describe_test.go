package config

import "testing"

func TestEverySettingIsDescribed(t *testing.T) {
	described := map[string]bool{}
	for _, s := range Settings() {
		described[s.Key] = true
		if s.Text == "" {
			t.Errorf("%s has no description", s.Key)
		}
	}
	for key := range descriptions {
		if !described[key] {
			t.Errorf("%s is described, but is no setting", key)
		}
	}
}
