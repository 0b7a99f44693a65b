package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCmd is the command line of version.
type versionCmd struct {
	JSON bool `name:"json" help:"Write JSON."`
}

// Help is what version --help shows after the flags.
func (*versionCmd) Help() string {
	return `Examples:

  puremetal version
  puremetal version --json
`
}

// versionInfo is what was built, from what, for what.
type versionInfo struct {
	Module   string `json:"module"`
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"` // the source was not the revision's
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// module is this module's path, for binaries that hold no build information.
const module = "github.com/puremetal/puremetal"

func version() versionInfo {
	v := versionInfo{Module: module, Version: "(devel)", Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Path != "" {
		v.Module = info.Main.Path
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// Run says what this binary is.
func (c *versionCmd) Run(a *app) error {
	v := version()
	if c.JSON {
		return writeJSON(a.out, v)
	}
	text := fmt.Sprintf("puremetal %s, %s, %s", v.Version, v.Go, v.Platform)
	if v.Revision != "" {
		text += ", revision " + v.Revision
		if v.Modified {
			text += " with changes"
		}
	}
	_, err := fmt.Fprintln(a.out, text)
	return err
}
