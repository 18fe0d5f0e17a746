package main

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"runtime/debug"
	"time"

	"agentflow/internal/cliflag"

	"github.com/spf13/cobra"
)

func versionCommand(c *cli) *cobra.Command {
	return c.withJSON("one JSON object", &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		RunE: func(*cobra.Command, []string) error {
			return c.result(nil, map[string]string{"version": version, "commit": buildCommit(), "go": runtime.Version(),
				"os": runtime.GOOS, "arch": runtime.GOARCH}, func() { c.printf("%s", versionLine()) })
		},
	})
}

func versionLine() string {
	return fmt.Sprintf("agentflow %s (%s, %s, %s/%s)\n", version, buildCommit(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// buildCommit returns the commit that the binary was built from.
func buildCommit() string {
	commit, dirty := "unknown commit", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && len(s.Value) >= 12:
				commit = s.Value[:12]
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = "+changes"
			}
		}
	}
	return commit + dirty
}

func manCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "man FOLDER",
		Short:   "Write the manual pages into a folder",
		Example: "  agentflow man ~/.local/share/man/man1",
		Args:    cliflag.Exactly(1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := writeManPages(cmd.Root(), args[0], time.Now())
			if errors.Is(err, fs.ErrNotExist) {
				return hintedUsage("'mkdir -p "+args[0]+"' makes it", "writing manual pages: there is no folder %s", args[0])
			}
			if err != nil {
				return fmt.Errorf("writing manual pages into %s: %w", args[0], err)
			}
			c.say("wrote the manual pages into %s", args[0])
			return nil
		},
	}
}
