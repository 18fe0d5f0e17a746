package help

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"runtime/debug"
	"time"

	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"

	"github.com/spf13/cobra"
)

// Version returns the command version.
func Version(c *cli.Env) *cobra.Command {
	return c.WithJSON("one JSON object", &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		RunE: func(*cobra.Command, []string) error {
			return c.Result(nil, map[string]string{"version": cli.Version, "commit": buildCommit(), "go": runtime.Version(),
				"os": runtime.GOOS, "arch": runtime.GOARCH}, func() { c.Printf("%s", VersionLine()) })
		},
	})
}

// VersionLine returns the version, the commit and the platform, as a line.
func VersionLine() string {
	return fmt.Sprintf("agentflow %s (%s, %s, %s/%s)\n", cli.Version, buildCommit(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
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

// Man returns the command man.
func Man(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use:     "man FOLDER",
		Short:   "Write the manual pages into a folder",
		Example: "  agentflow man ~/.local/share/man/man1",
		Args:    cliflag.Exactly(1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := writeManPages(cmd.Root(), args[0], time.Now())
			if errors.Is(err, fs.ErrNotExist) {
				return cli.HintedUsage("'mkdir -p "+args[0]+"' makes it", "writing manual pages: there is no folder %s", args[0])
			}
			if err != nil {
				return fmt.Errorf("writing manual pages into %s: %w", args[0], err)
			}
			c.Say("wrote the manual pages into %s", args[0])
			return nil
		},
	}
}
