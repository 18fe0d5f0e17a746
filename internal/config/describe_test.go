package config

import "testing"

func TestEverySettingIsDescribed(t *testing.T) {
	for _, s := range Settings() {
		if s.Text == "" {
			t.Errorf("%s has no description", s.Key)
		}
	}
}
