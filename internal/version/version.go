// Package version identifies the code of this module in a program, so that a program uses code
// compiled by another one only if it would have compiled the same.
package version

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"time"
)

// Module is this module's path.
const Module = "github.com/puremetal/puremetal"

// Build is a string that is the same for programs with the same code of this module: its version if
// that determines the code, as for a module with a checksum or a clean checkout; otherwise also the
// size and time of the program's file, which change with every build.
var Build = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return program()
	}
	text, settled := of(info)
	if !settled {
		text += " " + program()
	}
	return text
})

// Release returns this module's version in a program of its own that was built from a module with a
// checksum, which determines the code, and "" in other programs.
func Release() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path == Module && info.Main.Sum != "" {
		return info.Main.Version
	}
	return ""
}

// of returns the version, and whether it settles the code.
func of(info *debug.BuildInfo) (text string, settled bool) {
	if info.Main.Path == Module {
		text, settled = info.Main.Version, info.Main.Sum != ""
		clean := false
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				text += " " + s.Value
			case "vcs.modified":
				text += " " + s.Value
				clean = s.Value == "false"
			}
		}
		return text, settled || clean
	}
	for _, m := range info.Deps {
		if m.Path != Module {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		return m.Path + " " + m.Version + " " + m.Sum, m.Sum != ""
	}
	return "", false
}

// program returns a string that identifies the running program's file.
func program() string {
	path, err := os.Executable()
	if err == nil {
		var file os.FileInfo
		if file, err = os.Stat(path); err == nil {
			return fmt.Sprintf("program %d %d", file.Size(), file.ModTime().UnixNano())
		}
	}
	return fmt.Sprintf("process %d %d", os.Getpid(), time.Now().UnixNano()) // which is unique
}
