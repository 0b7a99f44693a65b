package tensorop

import (
	"embed"
	"strings"
	"sync"
)

// files are the kernels and the functions that do not depend on an operation's shape or expression.
// Other kernels are written by a writer, a mapper or a reduceWriter.
//
//go:embed *.metal *.h
var files embed.FS

// texts are the results of text, which is called for every launch: a few for each kernel.
var texts sync.Map // string -> string

// text returns the source of a file after the definitions of macros, each a name and a value. A
// file of the package that it includes is part of the text, as executors know no other files.
func text(file string, macros ...string) string {
	n := len(file)
	for _, m := range macros {
		n += len("\n") + len(m)
	}
	key := append(make([]byte, 0, n), file...)
	for _, m := range macros {
		key = append(append(key, '\n'), m...)
	}
	if t, ok := texts.Load(string(key)); ok {
		return t.(string)
	}
	var s strings.Builder
	for _, m := range macros {
		s.WriteString("#define " + m + "\n")
	}
	expand(&s, file)
	t, _ := texts.LoadOrStore(string(key), s.String())
	return t.(string)
}

func expand(s *strings.Builder, file string) {
	source, err := files.ReadFile(file)
	if err != nil {
		panic(err) // the package names only files that it embeds
	}
	for line := range strings.Lines(string(source)) {
		if included, ok := strings.CutPrefix(line, `#include "`); ok {
			expand(s, strings.TrimSuffix(strings.TrimSpace(included), `"`))
		} else if line != "#pragma once\n" {
			s.WriteString(line)
		}
	}
}
