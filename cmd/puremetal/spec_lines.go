package main

import (
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/internal/document"
)

// specLines has the line of each key, list entry and table of a spec file, by path: "args",
// "args[2]", "buffers.image", "step[1].kernel". TOML's decoder knows only the last of several
// [[step]] and no lines of list entries.
type specLines map[string]int

// line returns the line of a path, or of the innermost part of it that has one.
func (l specLines) line(path string) int {
	for path != "" {
		if n, ok := l[path]; ok {
			return n
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return 1
}

// add notes the line of a dotted path and of what encloses it, unless they have one already.
func (l specLines) add(prefix string, keys []string, line int) (path string) {
	path = prefix
	for _, k := range keys {
		if len(path) >= maxPath {
			break
		}
		if path != "" {
			path += "."
		}
		path += k
		if _, ok := l[path]; !ok {
			l[path] = line
		}
	}
	return path
}

// linesOf finds the lines in the text of a spec file, before TOML's decoder sees it. The error says
// in which line the text exceeds a limit of spec files: the decoder takes minutes and gigabytes for
// a key of many parts.
func linesOf(text string) (specLines, error) {
	s := specScanner{text: text, line: 1}
	lines, table, tables, deep := specLines{}, "", map[string]int{}, 0
	for s.skipSpace(true); s.at < len(s.text); s.skipSpace(true) {
		line := s.line
		if s.text[s.at] != '[' {
			keys := s.key(deep)
			path := lines.add(table, keys, line)
			s.at++ // the equals sign
			s.value(lines, path, deep+len(keys))
			continue
		}
		list := strings.HasPrefix(s.text[s.at:], "[[")
		s.at += 1 + len("[")*boolInt(list)
		keys := s.key(0)
		table, deep = lines.add("", keys, line), len(keys)
		s.at += 1 + len("]")*boolInt(list)
		if list {
			element := fmt.Sprintf("%s[%d]", table, tables[table])
			tables[table]++
			lines[element], table = line, element
		}
	}
	if s.err != nil {
		return nil, fmt.Errorf("%d: %w", s.line, s.err)
	}
	return lines, nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// maxPath is where paths end: lists and tables can be nested deeply.
const maxPath = 1000

// specScanner walks through valid TOML. Of other text it reports nonsense, but it comes to an end.
type specScanner struct {
	text     string
	at, line int
	values   int
	err      error // a limit of document.Spec is exceeded, which ends the scan
}

// count counts a value, or a part of a key, at a depth.
func (s *specScanner) count(depth int) {
	s.values++
	if s.err == nil {
		s.err = document.Spec.Structure(depth, s.values)
	}
	if s.err != nil {
		s.text = s.text[:min(s.at, len(s.text))]
	}
}

// skipSpace skips white space and comments, and line breaks if asked to.
func (s *specScanner) skipSpace(breaks bool) {
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '#':
			for s.at+1 < len(s.text) && s.text[s.at+1] != '\n' {
				s.at++
			}
		case c == '\n' && breaks:
			s.line++
		case c != ' ' && c != '\t' && c != '\r':
			return
		}
	}
}

// key reads a key in a table of a depth, up to an equals sign or a closing bracket. A dotted key
// has several parts, each deeper than the one before.
func (s *specScanner) key(depth int) (parts []string) {
	from := 0
	for s.skipSpace(false); s.at < len(s.text); s.skipSpace(false) {
		switch c := s.text[s.at]; c {
		case '=', ']':
			return parts
		case '.':
			s.at++
		case '"', '\'':
			from = s.at
			s.quoted()
			parts = append(parts, strings.Trim(s.text[from:s.at], s.text[from:from+1]))
		default:
			for from = s.at; s.at < len(s.text) && !strings.ContainsRune("=]. \t\"'", rune(s.text[s.at])); {
				s.at++
			}
			parts = append(parts, s.text[from:s.at])
		}
		s.count(depth + len(parts))
	}
	return parts
}

// value skips a value at a depth, and notes the lines of the entries of a list.
func (s *specScanner) value(lines specLines, path string, depth int) {
	s.skipSpace(false)
	s.count(depth)
	if s.at < len(s.text) && s.text[s.at] == '[' {
		s.at++
		s.skipSpace(true)
		for n := 0; s.at < len(s.text) && s.text[s.at] != ']'; n++ {
			entry := path
			if len(path) < maxPath {
				entry = fmt.Sprintf("%s[%d]", path, n)
				lines[entry] = s.line
			}
			s.value(lines, entry, depth+1)
			if s.skipSpace(true); s.at < len(s.text) && s.text[s.at] == ',' {
				s.at++
			}
			s.skipSpace(true)
		}
		s.at++
		return
	}
	if s.at < len(s.text) && s.text[s.at] == '{' {
		s.inline(lines, path, depth)
		return
	}
	if s.quoted() {
		return
	}
	for s.at++; s.at < len(s.text) && !strings.ContainsRune(",]}#\n", rune(s.text[s.at])); { // a number or a date
		s.at++
	}
}

// inline skips an inline table at a depth, and notes the lines of its keys.
func (s *specScanner) inline(lines specLines, path string, depth int) {
	s.at++
	s.skipSpace(true)
	for s.at < len(s.text) && s.text[s.at] != '}' {
		keys := s.key(depth)
		key := lines.add(path, keys, s.line)
		s.at++ // the equals sign
		s.value(lines, key, depth+len(keys))
		if s.skipSpace(true); s.at < len(s.text) && s.text[s.at] == ',' {
			s.at++
		}
		s.skipSpace(true)
	}
	s.at++
}

// quoted skips a string, if one is next.
func (s *specScanner) quoted() bool {
	if s.at >= len(s.text) || s.text[s.at] != '"' && s.text[s.at] != '\'' {
		return false
	}
	quote, long := s.text[s.at:s.at+1], strings.Repeat(s.text[s.at:s.at+1], 3)
	end := quote
	if strings.HasPrefix(s.text[s.at:], long) {
		end = long
	}
	for s.at += len(end); s.at < len(s.text) && !strings.HasPrefix(s.text[s.at:], end); s.at++ {
		switch {
		case s.text[s.at] == '\n':
			s.line++
		case s.text[s.at] == '\\' && quote == `"`:
			if s.at++; s.at < len(s.text) && s.text[s.at] == '\n' {
				s.line++
			}
		}
	}
	s.at = min(s.at+len(end), len(s.text))
	for end == long && s.at < len(s.text) && s.text[s.at:s.at+1] == quote { // quotes that belong to the text
		s.at++
	}
	return true
}
