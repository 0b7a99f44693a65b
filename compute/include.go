package compute

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/puremetal/puremetal/internal/document"
)

// Metal compiles a single string without a name, and has no access to the program's files. So a
// #line directive sets the name, and includes are expanded before Metal is called.

// maxIncludeDepth bounds the nesting of includes, and maxIncluded the size of the result in bytes:
// headers that include each other twice double the text at each level.
const (
	maxIncludeDepth = 64
	maxIncluded     = 64 << 20
)

var includeLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)`)
})

// includer expands the includes of a source with the files of a file system.
type includer struct {
	files    fs.FS
	once     map[string]*onceFile
	branches []int // the open branches of conditionals; 0 is outside of all
	last     int   // number of the last branch
	out      strings.Builder
}

// onceFile is a file with #pragma once that has been included.
type onceFile struct {
	guard    string // macro
	branches []int  // that include it
}

// lineDirective returns a #line directive that sets the number and file name of the next line.
func lineDirective(number int, name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?' // Go's escapes are not C's
		}
		return r
	}, name)
	return fmt.Sprintf("#line %d %q\n", number, name)
}

// expandIncludes returns source with each #include replaced by the file. A quoted name is searched
// beside the including file and then from the root. A name in angle brackets is searched only from
// the root, and not at all if it is a system header. Includes that are not found remain for Metal.
// #line directives keep file names and line numbers correct.
func expandIncludes(files fs.FS, name, source string) (string, error) {
	if files == nil {
		if name == unnamed || strings.TrimSpace(source) == "" { // mtl refuses empty source
			return source, nil
		}
		return lineDirective(1, name) + source, nil
	}
	in := &includer{files: files, once: map[string]*onceFile{}, branches: []int{0}}
	if err := in.file(name, source, nil); err != nil {
		return "", err
	}
	return in.out.String(), nil
}

func (in *includer) file(name, source string, from []string) error {
	if len(from) > maxIncludeDepth {
		return fmt.Errorf("compute: includes nest deeper than %d: %s", maxIncludeDepth, strings.Join(from, " -> "))
	}
	depth := len(in.branches)
	lines := bufio.NewScanner(strings.NewReader(source))
	lines.Buffer(nil, len(source)+1)
	in.out.WriteString(lineDirective(1, name))
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if in.out.Len() > maxIncluded {
			return fmt.Errorf("compute: %s:%d: the source with its includes exceeds %d bytes", name, n, maxIncluded)
		}
		if d := directive(line); isOnce(d) {
			line = ""
		} else if len(d) > 0 {
			in.branch(d[0], depth)
		}
		m := includeLine().FindStringSubmatch(line)
		if m == nil {
			in.out.WriteString(line)
			in.out.WriteByte('\n')
			continue
		}
		file, text, err := in.find(path.Dir(name), m[1], m[2])
		if errors.Is(err, fs.ErrNotExist) {
			in.out.WriteString(line)
			in.out.WriteByte('\n')
			continue
		}
		if err != nil {
			return fmt.Errorf("compute: %s:%d: #include %q: %w", name, n, m[1]+m[2], err)
		}
		if err := in.include(file, text, append(from, name)); err != nil {
			return err
		}
		in.out.WriteString(lineDirective(n+1, name))
	}
	in.branches = in.branches[:depth]
	return lines.Err()
}

// include inserts a file. A file with #pragma once is skipped if an earlier inclusion is certain to
// be active. The includer does not know which branches of conditionals the compiler will take, so
// if the earlier inclusion is in a branch that has ended, it inserts the file again, with an
// include guard.
func (in *includer) include(file, text string, from []string) error {
	once, inside := false, slices.Contains(from, file)
	for line := range strings.Lines(text) {
		once = once || isOnce(directive(line))
	}
	switch {
	case inside && (once || guarded(text)):
		return nil
	case !once:
		return in.file(file, text, from)
	}
	o := in.once[file]
	if o == nil {
		o = &onceFile{guard: fmt.Sprintf("PUREMETAL_INCLUDED_%d", len(in.once))}
		in.once[file] = o
	}
	if slices.ContainsFunc(o.branches, func(b int) bool { return slices.Contains(in.branches, b) }) {
		return nil
	}
	o.branches = append(o.branches, in.branches[len(in.branches)-1])
	fmt.Fprintf(&in.out, "#ifndef %s\n#define %s\n", o.guard, o.guard)
	err := in.file(file, text, from)
	in.out.WriteString("#endif\n")
	return err
}

// branch processes the directive of a conditional, in a file that began at the given depth.
func (in *includer) branch(directive string, depth int) {
	in.last++
	switch top := len(in.branches) - 1; {
	case strings.HasPrefix(directive, "if"):
		in.branches = append(in.branches, in.last)
	case top < depth: // #else or #endif without #if: the compiler reports the error
	case strings.HasPrefix(directive, "el"):
		in.branches[top] = in.last
	case strings.HasPrefix(directive, "endif"):
		in.branches = in.branches[:top]
	}
}

// directive returns the words after the # if a line is a directive.
func directive(line string) []string {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "#"); ok {
		return strings.Fields(rest)
	}
	return nil
}

func isOnce(directive []string) bool {
	return len(directive) >= 2 && directive[0] == "pragma" && directive[1] == "once"
}

// guarded reports whether a file has an include guard: an #ifndef of a macro that it then defines.
func guarded(text string) bool {
	var macro string
	for line := range strings.Lines(text) {
		f := directive(line)
		if len(f) < 2 {
			continue
		}
		if macro != "" {
			return f[0] == "define" && f[1] == macro
		}
		if f[0] != "ifndef" {
			return false
		}
		macro = f[1]
	}
	return false
}

// systemHeader reports whether a header is built into Metal's compiler, so that files must not
// replace it.
func systemHeader(name string) bool {
	for _, prefix := range []string{"metal_", "simd/", "MetalPerformancePrimitives/"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	switch name {
	case "AvailabilityMacros.h", "TargetConditionals.h", "float.h", "limits.h", "stdbool.h", "stddef.h", "stdint.h":
		return true
	}
	return false
}

// find reads an included file; see expandIncludes. A path that leads out of the file system is not
// found, unless the file system accepts such paths.
func (in *includer) find(dir, quoted, angled string) (file, text string, err error) {
	if systemHeader(angled) {
		return "", "", fs.ErrNotExist
	}
	places := []string{path.Clean(quoted + angled)}
	if angled == "" {
		places = []string{path.Join(dir, quoted), places[0]}
	}
	for _, p := range places {
		var b []byte
		if b, err = fs.ReadFile(document.Header.FS(in.files), p); err == nil {
			return p, string(b), nil
		}
	}
	if errors.Is(err, fs.ErrInvalid) {
		err = fs.ErrNotExist
	}
	return "", "", err
}
