package diag

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// tabWidth is the distance between tab stops in the source lines that Text shows.
const tabWidth = 8

// Text writes diagnostics as clang does: the position, the message, the source line and a caret
// under it, and the same for each note.
func Text(w io.Writer, fs *FileSet, list []Diagnostic) error {
	t := textWriter{fs: fs}
	for i := range list {
		d := &list[i]
		t.includes(d.Pos)
		t.message(d.Pos, d.Severity.String(), d.Message, label(d))
		t.snippet(d.Pos, d.End, d.Fixes)
		for _, step := range fs.visibleSteps(d.Pos) {
			t.message(step.Pos, "note", "in expansion of macro '"+step.Macro+"'", "")
			t.snippet(step.Pos, NoPos, nil)
		}
		for _, n := range d.Notes {
			t.message(n.Pos, "note", n.Message, "")
			t.snippet(n.Pos, n.End, nil)
		}
		if t.b.Len() > 1<<16 {
			if _, err := io.WriteString(w, t.b.String()); err != nil {
				return err
			}
			t.b.Reset()
		}
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

type textWriter struct {
	fs   *FileSet
	b    strings.Builder
	from Pos // the #include chain shown last
}

// includes prints the chain of #includes that leads to a diagnostic's file, unless it was just
// printed.
func (t *textWriter) includes(p Pos) {
	f := t.fs.File(p)
	if f == nil || f.Included == t.from {
		return
	}
	t.from = f.Included
	var chain []Position
	for f != nil && f.Included != NoPos {
		chain = append(chain, t.fs.Position(f.Included))
		f = t.fs.File(f.Included)
	}
	const most = 8
	for i, at := range chain {
		if left := len(chain) - most; left > 1 && i >= most/2 && i < most/2+left { // a file that includes itself
			if i == most/2 {
				fmt.Fprintf(&t.b, "in file included %d more times:\n", left)
			}
			continue
		}
		fmt.Fprintf(&t.b, "in file included from %s:%d:\n", EscapeLine(at.File), at.Line)
	}
}

// label identifies a diagnostic by its code and, for a warning, the option that controls it.
func label(d *Diagnostic) string {
	if g := Group(d.Code); g != "" && d.Severity == Warning {
		return string(d.Code) + ", -W" + g
	}
	return string(d.Code)
}

func (t *textWriter) message(p Pos, severity, message, label string) {
	if at := t.fs.Position(p); at.IsValid() {
		t.b.WriteString(EscapeLine(at.String()))
		t.b.WriteString(": ")
	}
	t.b.WriteString(severity)
	t.b.WriteString(": ")
	t.b.WriteString(message)
	if label != "" {
		fmt.Fprintf(&t.b, " [%s]", label)
	}
	t.b.WriteByte('\n')
}

// maxLine is the maximum number of bytes of a source line to show.
const maxLine = 160

// snippet shows the source line of a place with the range underlined, and the text of the fixes
// below it.
func (t *textWriter) snippet(pos, end Pos, fixes []Fix) {
	start, stop := t.fs.Range(pos, end)
	f := t.fs.File(start)
	if f == nil {
		return
	}
	offset := f.Offset(start)
	number := f.LineAt(offset)
	line, first := f.Line(number), f.LineStart(number)
	from := min(offset-first, len(line))
	to := min(max(int(stop-start), 1)+from, max(len(line), from+1))
	shown, cut := line, 0
	if len(line) > maxLine { // a window around the caret that starts and ends between characters
		cut = min(max(0, from-maxLine/2), len(line)-maxLine)
		for cut > 0 && !utf8.RuneStart(line[cut]) {
			cut--
		}
		e := cut + maxLine
		for e < len(line) && !utf8.RuneStart(line[e]) {
			e++
		}
		shown = line[cut:e]
	}
	var top, under, fixed strings.Builder
	column := 0
	caret := 0
	for i := 0; i <= len(shown); {
		r, n := ' ', 1
		text := " "
		if i < len(shown) {
			r, n = utf8.DecodeRuneInString(shown[i:])
			text = printable(r, n, shown[i], column)
		}
		mark := " "
		switch at := cut + i; {
		case at == from:
			mark, caret = "^", column
		case at > from && at < to:
			mark = "~"
		}
		width := utf8.RuneCountInString(text)
		if mark == "^" {
			under.WriteString("^" + strings.Repeat(marks(to > from+n), width-1))
		} else {
			under.WriteString(strings.Repeat(mark, width))
		}
		if i < len(shown) {
			top.WriteString(text)
		}
		column += width
		i += n
	}
	for _, fix := range fixes {
		if fix.Pos == pos && fix.Text != "" && !strings.Contains(fix.Text, "\n") {
			fixed.WriteString(strings.Repeat(" ", caret) + fix.Text)
			break
		}
	}
	for _, s := range []string{top.String(), under.String(), fixed.String()} {
		if s = strings.TrimRight(s, " "); s != "" {
			t.b.WriteString(" " + s + "\n")
		}
	}
}

func marks(under bool) string {
	if under {
		return "~"
	}
	return " "
}

// printable returns how to show a character of the source on a terminal.
func printable(r rune, n int, first byte, column int) string {
	switch {
	case r == '\t':
		return strings.Repeat(" ", tabWidth-column%tabWidth)
	case hidden(r, n):
		return visible(r, n, first)
	}
	return string(r)
}
