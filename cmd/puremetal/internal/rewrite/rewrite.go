// Package rewrite makes mechanical changes to Metal source, to try what they gain. Each change
// keeps the kernel's results if its preconditions hold, which are checked as far as text shows
// them; who tries a change compares results as well.
package rewrite

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// ErrNot says that a change does not apply to a source.
var ErrNot = errors.New("does not apply")

// positions are the inputs that have the axes of the grid.
const positions = `thread_position_in_grid|threads_per_grid|thread_position_in_threadgroup|` +
	`threads_per_threadgroup|dispatch_threads_per_threadgroup|threadgroup_position_in_grid|threadgroups_per_grid`

// SwapAxes exchanges x and y in a kernel: every position and size that it takes. Launched over a
// grid and threadgroups whose x and y are exchanged too, it does the same work with other threads
// next to each other.
func SwapAxes(source, kernel string) (string, error) {
	from, to, body, err := signature(source, kernel)
	if err != nil {
		return "", err
	}
	head := source[from:to]
	input := regexp.MustCompile(`\b(\w+)\s+(\w+)\s*\[\[\s*(\w+)\s*\]\]`)
	axes := regexp.MustCompile(`^(` + positions + `)$`)
	var lines strings.Builder
	var wrong error
	head = input.ReplaceAllStringFunc(head, func(text string) string {
		m := input.FindStringSubmatch(text)
		kind, name, attribute := m[1], m[2], m[3]
		if !axes.MatchString(attribute) {
			if strings.Contains(attribute, "index_in") {
				wrong = fmt.Errorf("%w: %s of kernel %s is the order of threads", ErrNot, name, kernel)
			}
			return text
		}
		swizzle := map[string]string{"uint2": "yx", "ushort2": "yx", "uint3": "yxz", "ushort3": "yxz"}[kind]
		if swizzle == "" {
			wrong = fmt.Errorf("%w: %s of kernel %s is one number", ErrNot, name, kernel)
			return text
		}
		fmt.Fprintf(&lines, " const %s %s = %s_swapped.%s;", kind, name, name, swizzle)
		return kind + " " + name + "_swapped [[" + attribute + "]]"
	})
	switch {
	case wrong != nil:
		return "", wrong
	case lines.Len() == 0:
		return "", fmt.Errorf("%w: kernel %s takes no positions in two dimensions", ErrNot, kernel)
	}
	return source[:from] + head + source[to:body+1] + lines.String() + source[body+1:], nil
}

// signature finds the parameters of a kernel, between the parentheses, and the brace that opens its
// body.
func signature(source, kernel string) (from, to, body int, err error) {
	start := regexp.MustCompile(`(\bkernel|\[\[\s*kernel\s*\]\])\s+void\s+` + regexp.QuoteMeta(kernel) + `\s*\(`).
		FindStringIndex(source)
	if start == nil {
		return 0, 0, 0, fmt.Errorf("%w: the text of kernel %s is not found", ErrNot, kernel)
	}
	from = start[1]
	depth := 1
	for to = from; to < len(source) && depth > 0; to++ {
		switch source[to] {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	at := strings.IndexByte(source[to:], '{')
	if depth > 0 || at < 0 {
		return 0, 0, 0, fmt.Errorf("%w: the body of kernel %s is not found", ErrNot, kernel)
	}
	return from, to - 1, to + at, nil
}

// PadRows makes the rows of an array in threadgroup memory one element longer. The array must have
// two dimensions or more, and be used by its elements only.
func PadRows(source, array string) (string, error) {
	name := regexp.QuoteMeta(array)
	declared := regexp.MustCompile(`\bthreadgroup\s+\w+\s+` + name + `\s*((?:\[[^\[\]]*\]\s*){2,})\s*;`)
	m := declared.FindAllStringSubmatchIndex(source, -1)
	if len(m) != 1 {
		return "", fmt.Errorf("%w: %d declarations of a threadgroup array %s with rows, want one", ErrNot, len(m), array)
	}
	dimensions := len(regexp.MustCompile(`\[`).FindAllString(source[m[0][2]:m[0][3]], -1))
	for _, use := range regexp.MustCompile(`\b`+name+`\b`).FindAllStringIndex(source, -1) {
		if !indexed(source[use[1]:], dimensions) || strings.HasSuffix(strings.TrimRight(source[:use[0]], " \t"), "&") {
			line := 1 + strings.Count(source[:use[0]], "\n")
			return "", fmt.Errorf("%w: line %d uses %s otherwise than by its elements", ErrNot, line, array)
		}
	}
	last := strings.LastIndexByte(source[:m[0][3]], '[')
	end := last + strings.IndexByte(source[last:], ']')
	return source[:last+1] + "(" + source[last+1:end] + ") + 1" + source[end:], nil
}

// indexed reports whether text begins with n pairs of brackets.
func indexed(text string, n int) bool {
	for range n {
		text = strings.TrimLeft(text, " \t\n")
		if !strings.HasPrefix(text, "[") {
			return false
		}
		depth, i := 0, 0
		for ; i < len(text); i++ {
			if text[i] == '[' {
				depth++
			} else if text[i] == ']' {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if i == len(text) {
			return false
		}
		text = text[i+1:]
	}
	return true
}
