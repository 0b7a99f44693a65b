package main

import (
	"io"
	"os"
	"regexp"

	"golang.org/x/term"
)

// terminal reports whether a writer is a terminal.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// colors reports whether to color output to w: as --color says, and with auto only on a terminal
// that supports colors and if NO_COLOR is not set (see no-color.org).
func (a *app) colors(w io.Writer) bool {
	switch a.color {
	case "always":
		return true
	case "never":
		return false
	}
	return a.env("NO_COLOR") == "" && a.env("TERM") != "dumb" && terminal(w)
}

const (
	plain   = "\x1b[0m"
	bold    = "\x1b[1m"
	red     = "\x1b[1;31m"
	magenta = "\x1b[1;35m"
	green   = "\x1b[1;32m"
	cyan    = "\x1b[1;36m"
)

var (
	severityLine = regexp.MustCompile(`(?m)^([^\s].*?: )?(error|warning|note): (.*)$`)
	caretLine    = regexp.MustCompile(`(?m)^ +[\^~]+[\^~ ]*$`)
)

// colored colors diagnostics as clang does.
func colored(text string) string {
	text = severityLine.ReplaceAllStringFunc(text, func(line string) string {
		m := severityLine.FindStringSubmatch(line)
		c := map[string]string{"error": red, "warning": magenta, "note": cyan}[m[2]]
		return bold + m[1] + plain + c + m[2] + ": " + plain + bold + m[3] + plain
	})
	return caretLine.ReplaceAllString(text, green+"$0"+plain)
}
