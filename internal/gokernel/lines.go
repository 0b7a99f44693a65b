package gokernel

import (
	"fmt"
	"strconv"
	"strings"
)

// thinLines leaves out the #line directives of a text that say what a compiler knows without them,
// and the names of files where they stay the same.
func thinLines(text string) string {
	var b strings.Builder
	file, next := "", -1   // of the next line, as the text so far says
	wanted, at := file, -1 // as the directives in front of the line say
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "#line "); ok {
			number, name, _ := strings.Cut(strings.TrimSuffix(rest, "\n"), " ")
			n, err := strconv.Atoi(number)
			quoted, e := strconv.Unquote(name)
			if err == nil && e == nil {
				wanted, at = quoted, n
				continue
			}
		}
		if at >= 0 && closes(line) { // the next line is soon enough
			at++
			b.WriteString(line)
			if next >= 0 {
				next++
			}
			continue
		}
		switch {
		case at < 0:
		case wanted != file || next < 0:
			fmt.Fprintf(&b, "#line %d %q\n", at, wanted)
			file, next = wanted, at
		case at != next:
			fmt.Fprintf(&b, "#line %d\n", at)
			next = at
		}
		at = -1
		b.WriteString(line)
		if next >= 0 {
			next++
		}
	}
	return b.String()
}

// closes reports whether a line has nothing that a compiler could complain about.
func closes(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line == "}" || strings.HasPrefix(line, "//")
}
