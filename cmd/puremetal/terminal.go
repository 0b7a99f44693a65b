package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/puremetal/puremetal/internal/msl/diag"
)

// screen is the command's output or error output. Sources, kernels, file names, traces and pages
// are of others, and may contain what controls a terminal: whatever is written is escaped, so that
// no place in the command can forget to. What the command itself has colored goes to raw.
type screen struct {
	mu   sync.Mutex
	to   io.Writer
	part []byte // of a character whose rest is not written yet
	json bool   // escapes are JSON's, which keeps the value exact
}

// Write implements io.Writer.
func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := append(s.part, b...)
	n := len(all) - unfinished(all)
	s.part = bytes.Clone(all[n:])
	return len(b), s.put(string(all[:n]))
}

// flush writes what was kept.
func (s *screen) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.put(string(s.part)) // as the command ends; it has reported errors of the writer
	s.part = nil
}

func (s *screen) put(text string) error {
	if text == "" {
		return nil
	}
	if s.json {
		text = jsonText(text)
	} else {
		text = diag.Escape(strings.ReplaceAll(text, "\r\n", "\n"))
	}
	_, err := io.WriteString(s.to, text)
	return err
}

// unfinished returns how many bytes at the end may be the beginning of a character or a line break.
func unfinished(b []byte) int {
	if len(b) > 0 && b[len(b)-1] == '\r' {
		return 1
	}
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			break
		}
	}
	return 0
}

// jsonText returns a JSON text with the characters that are hidden on a terminal as JSON's escapes.
// The encoder leaves some of them as they are in strings, and nothing else of a valid text has any.
func jsonText(text string) string {
	if diag.Escape(text) == text {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if c := string(r); diag.Escape(c) == c && r != utf8.RuneError {
			b.WriteString(c)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// raw returns what a screen writes to, for text that is escaped already and then colored.
func raw(w io.Writer) io.Writer {
	if s, ok := w.(*screen); ok {
		s.flush()
		return s.to
	}
	return w
}

// terminal reports whether a writer is a terminal.
func terminal(w io.Writer) bool {
	if s, ok := w.(*screen); ok {
		w = s.to
	}
	f, ok := w.(*os.File)
	return ok && isTerminal(f)
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

// colored escapes diagnostics and colors them as clang does.
func colored(text string) string {
	text = severityLine.ReplaceAllStringFunc(diag.Escape(text), func(line string) string {
		m := severityLine.FindStringSubmatch(line)
		c := map[string]string{"error": red, "warning": magenta, "note": cyan}[m[2]]
		return bold + m[1] + plain + c + m[2] + ": " + plain + bold + m[3] + plain
	})
	return caretLine.ReplaceAllString(text, green+"$0"+plain)
}
