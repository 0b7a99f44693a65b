package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCmd is the version command.
type versionCmd struct {
	JSON bool `name:"json" help:"Write JSON."`
}

// Help returns the details of version --help.
func (*versionCmd) Help() string {
	return `Examples:

  puremetal version
  puremetal version --json
`
}

// versionInfo describes this binary.
type versionInfo struct {
	Module   string `json:"module"`
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"` // the work tree had changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// module is this module's path, for binaries without build information.
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

func (v versionInfo) String() string {
	text := fmt.Sprintf("puremetal %s, %s, %s", v.Version, v.Go, v.Platform)
	if v.Revision != "" {
		text += ", revision " + v.Revision
		if v.Modified {
			text += " with changes"
		}
	}
	return text
}

// Run shows the version.
func (c *versionCmd) Run(a *app) error {
	if c.JSON {
		return writeJSON(a.out, version())
	}
	_, err := fmt.Fprintln(a.out, version())
	return err
}
