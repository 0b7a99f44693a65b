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
)

// Metal compiles one text and finds no files of the program's, so includes are put in before.

// maxIncludeDepth is how deep includes may nest.
const maxIncludeDepth = 64

var includeLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*#\s*include\s*"([^"]+)"`) })

// includer puts the files of a file system into a source.
type includer struct {
	files fs.FS
	once  map[string]bool // files that said #pragma once, and were in
	out   strings.Builder
}

// expand returns source with each #include "name" replaced by the file, which is looked for beside the including file and then from the root. Lines keep
// their names and numbers by #line. Includes in angle brackets are Metal's own and stay.
func expand(files fs.FS, name, source string) (string, error) {
	if files == nil {
		return source, nil
	}
	in := &includer{files: files, once: map[string]bool{}}
	if err := in.file(name, source, nil); err != nil {
		return "", err
	}
	return in.out.String(), nil
}

func (in *includer) file(name, source string, from []string) error {
	if len(from) > maxIncludeDepth {
		return fmt.Errorf("compute: includes nest deeper than %d: %s", maxIncludeDepth, strings.Join(from, " -> "))
	}
	lines := bufio.NewScanner(strings.NewReader(source))
	lines.Buffer(nil, len(source)+1)
	fmt.Fprintf(&in.out, "#line 1 %q\n", name)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "#pragma" && f[1] == "once" {
			in.once[name] = true
			in.out.WriteByte('\n')
			continue
		}
		m := includeLine().FindStringSubmatch(line)
		if m == nil {
			in.out.WriteString(line)
			in.out.WriteByte('\n')
			continue
		}
		file, text, err := in.find(path.Dir(name), m[1])
		if errors.Is(err, fs.ErrNotExist) {
			in.out.WriteString(line)
			in.out.WriteByte('\n')
			continue
		}
		if err != nil {
			return fmt.Errorf("compute: %s:%d: #include %q: %w", name, n, m[1], err)
		}
		if inside := file == name || slices.Contains(from, file); !in.once[file] && !(inside && guarded(text)) {
			if err := in.file(file, text, append(from, name)); err != nil {
				return err
			}
		}
		fmt.Fprintf(&in.out, "#line %d %q\n", n+1, name)
	}
	return lines.Err()
}

// guarded reports whether a text is all behind an #ifndef of a macro that it then defines, so that inside of itself it is empty.
func guarded(text string) bool {
	var macro string
	for line := range strings.Lines(text) {
		f := strings.Fields(strings.Replace(line, "#", " # ", 1))
		if len(f) < 3 || f[0] != "#" {
			continue
		}
		if macro != "" {
			return f[1] == "define" && f[2] == macro
		}
		if f[1] != "ifndef" {
			return false
		}
		macro = f[2]
	}
	return false
}

// find reads a file beside the one that includes it, or from the root. A path that leads out of the file system is not in it, unless the file system takes such paths.
func (in *includer) find(dir, name string) (file, text string, err error) {
	for _, p := range []string{path.Join(dir, name), path.Clean(name)} {
		var b []byte
		if b, err = fs.ReadFile(in.files, p); err == nil {
			return p, string(b), nil
		}
	}
	if errors.Is(err, fs.ErrInvalid) {
		err = fs.ErrNotExist
	}
	return "", "", err
}
