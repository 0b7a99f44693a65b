// Package errtest runs tests whose input states the diagnostics it must cause.
//
// A comment /* ERROR "text" */ directly follows the token that the diagnostic's caret must point
// into, or just after which it must point; several such comments in a row apply to the same token.
// The text is a substring of the message. WARNING may replace ERROR. A code may precede the text:
// /* ERROR E0301 "expected" */; and the text may be in backquotes. The word LINE before ERROR or
// WARNING allows the caret anywhere on the line. Every error that the input causes must be
// expected, and every expectation met; unexpected warnings are ignored. Errors in an included file
// are expected at its #include.
//
// A file can hold many programs. A line that begins with //--- starts the next program and gives
// its name. A name that ends in a version in brackets, as in "bfloat [metal 2.3]", selects that
// language version.
package errtest

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/puremetal/puremetal/internal/msl/diag"
)

// Program is one program of a test file.
type Program struct {
	Name string // of the file and the program: "loops.metal/break outside"
	Text string
	Line int // where the text begins in the file
}

// Split returns the programs of a test file, omitting empty ones.
func Split(name, text string) []Program {
	var list []Program
	cur := Program{Name: name, Line: 1}
	var b strings.Builder
	flush := func() {
		if cur.Text = b.String(); strings.TrimSpace(cur.Text) != "" {
			list = append(list, cur)
		}
		b.Reset()
	}
	for i, line := range strings.SplitAfter(text, "\n") {
		if rest, ok := strings.CutPrefix(line, "//---"); ok {
			flush()
			cur = Program{Name: name + "/" + strings.Trim(rest, " -\n\r"), Line: i + 2}
			continue
		}
		b.WriteString(line)
	}
	flush()
	return list
}

var inBrackets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[metal (\d)\.(\d)\]$`) })

// Version returns the language version selected by a program's name, in the form of
// __METAL_VERSION__; 0 if there is none.
func Version(name string) int {
	m := inBrackets().FindStringSubmatch(name)
	if m == nil {
		return 0
	}
	return int(m[1][0]-'0')*100 + int(m[2][0]-'0')*10
}

// Load returns the programs of all files with an extension such as ".metal" in a folder and its
// subfolders.
func Load(dir, ext string) ([]Program, error) {
	var list []Program
	tree := os.DirFS(dir)
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ext {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		list = append(list, Split(filepath.ToSlash(name), string(text))...)
		return err
	})
	return list, err
}

// expectation is a comment that expects a diagnostic.
type expectation struct {
	from, to int // offsets of its token; a caret at to counts too
	severity diag.Severity
	code     diag.Code
	text     string
	line     int
	met      bool
}

var comment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)/\*\s*(ERROR|WARNING)\b(.*?)\*/`) })

// expectations finds the comments of a text.
func expectations(text string) ([]expectation, error) {
	var list []expectation
	for _, m := range comment().FindAllStringSubmatchIndex(text, -1) {
		e := expectation{line: 1 + strings.Count(text[:m[0]], "\n")}
		if text[m[2]:m[3]] == "WARNING" {
			e.severity = diag.Warning
		}
		rest := strings.TrimSpace(text[m[4]:m[5]])
		rest, line := strings.CutPrefix(rest, "LINE ")
		if i := strings.IndexAny(rest, "\"`"); i > 0 {
			e.code, rest = diag.Code(strings.TrimSpace(rest[:i])), rest[i:]
		}
		var err error
		if e.text, err = strconv.Unquote(rest); err != nil {
			return nil, fmt.Errorf("line %d: expectation %s is not a quoted text", e.line, rest)
		}
		if e.from, e.to = tokenBefore(text, m[0]); line {
			e.from = strings.LastIndexByte(text[:m[0]], '\n') + 1
			n := strings.IndexByte(text[m[0]:]+"\n", '\n')
			e.to = m[0] + n
		}
		list = append(list, e)
	}
	return list, nil
}

// tokenBefore returns the extent of the token that ends before an offset, skipping expectation
// comments.
func tokenBefore(text string, end int) (int, int) {
	for {
		end = len(strings.TrimRight(text[:end], " \t\r\n"))
		if !strings.HasSuffix(text[:end], "*/") {
			break
		}
		start := strings.LastIndex(text[:end], "/*")
		if start < 0 {
			break
		}
		end = start
	}
	start := end
	word := func(c byte) bool {
		return c == '_' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' ||
			c >= utf8.RuneSelf
	}
	if start > 0 && (text[start-1] == '"' || text[start-1] == '\'') {
		quote := text[start-1]
		for start--; start > 0 && text[start-1] != quote && text[start-1] != '\n'; start-- {
		}
		for start = max(start-1, 0); start > 0 && word(text[start-1]); start-- { // include a prefix
		}
		return start, end
	}
	for start > 0 && word(text[start-1]) {
		start--
	}
	if start < end {
		return start, end
	}
	const marks = "<>=+-*/%&|^!:."
	for start > 0 && end-start < 3 && strings.IndexByte(marks, text[start-1]) >= 0 {
		start--
	}
	if start == end && start > 0 {
		start--
	}
	return start, end
}

// Run runs each program as a subtest; compile adds the program's diagnostics to the sink. It
// returns how often each code was matched.
func Run(t *testing.T, programs []Program,
	compile func(fs *diag.FileSet, f *diag.File, sink *diag.Sink)) map[diag.Code]int {
	t.Helper()
	codes := make(map[diag.Code]int)
	for _, p := range programs {
		t.Run(p.Name, func(t *testing.T) {
			for _, problem := range check(p, compile, codes) {
				t.Error(problem)
			}
		})
	}
	return codes
}

// check compiles a program and returns the mismatches.
func check(p Program, compile func(*diag.FileSet, *diag.File, *diag.Sink),
	codes map[diag.Code]int) (problems []string) {
	want, err := expectations(p.Text)
	if err != nil {
		return []string{err.Error()}
	}
	set, sink := diag.NewFileSet(), diag.NewSinkLimit(0)
	f := set.AddFile(p.Name, p.Text)
	compile(set, f, sink)
	for _, d := range sink.Diagnostics() {
		codes[d.Code]++
		pos := set.Resolve(d.Pos)
		for in := set.File(pos); in != nil && in != f && in.Included != diag.NoPos; in = set.File(pos) {
			pos = set.Resolve(in.Included)
		}
		offset := -1
		if f.Contains(pos) {
			offset = f.Offset(pos)
		}
		i := slices.IndexFunc(want, func(e expectation) bool {
			return !e.met && e.severity == d.Severity && e.from <= offset && offset <= e.to &&
				strings.Contains(d.Message, e.text) && (e.code == "" || e.code == d.Code)
		})
		switch {
		case i >= 0:
			want[i].met = true
		case d.Severity == diag.Error:
			where := set.Position(d.Pos)
			problems = append(problems,
				fmt.Sprintf("line %d, column %d: unexpected %s %q", p.Line+where.Line-1, where.Column, d.Code, d.Message))
		}
	}
	for _, e := range want {
		if !e.met {
			problems = append(problems, fmt.Sprintf("line %d: expected %s %s %q after %q", p.Line+e.line-1, e.severity, e.code,
				e.text, p.Text[e.from:e.to]))
		}
	}
	return problems
}
