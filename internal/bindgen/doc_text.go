package bindgen

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// words splits a camel-case name: maxTotalThreadsPerThreadgroup -> maximum total threads per
// threadgroup, GPUStartTime -> GPU start time.
func words(s string) string {
	var out []string
	start := 0
	for i := 1; i <= len(s); i++ {
		if i < len(s) {
			up, prevUp := unicode.IsUpper(rune(s[i])), unicode.IsUpper(rune(s[i-1]))
			nextLow := i+1 < len(s) && unicode.IsLower(rune(s[i+1]))
			if !(up && !prevUp || up && prevUp && nextLow) {
				continue
			}
		}
		w := s[start:i]
		switch low := strings.ToLower(w); {
		case low == "max" || low == "min":
			w = low + "imum"
		case low == "mtl4":
			w = "Metal 4"
		case slices.Contains(acronyms, strings.ToUpper(w)):
			w = strings.ToUpper(w)
		case len(w) == 1 || !isAcronym(w):
			w = low
		}
		out = append(out, w)
		start = i
	}
	english := strings.NewReplacer("start of encoder", "start-of-encoder", "end of encoder", "end-of-encoder",
		"32 bit", "32-bit", "minimum filter", "minification filter", "mag filter", "magnification filter",
		"coords", "coordinates")
	return english.Replace(strings.Join(out, " "))
}

// acronyms are words that are in lower case at the start of a name.
var acronyms = []string{"CPU", "GPU", "ID", "LOD", "URL"}

func isAcronym(w string) bool { return w == strings.ToUpper(w) }

// sentence is the first sentence of a method's comment: the override's, or one derived from its
// name.
func (g *generator) sentence(c *Class, m *Method, goName, doc string, ret value) string {
	if doc != "" {
		return goName + " " + strings.TrimSpace(doc)
	}
	sel := m.Selector
	if m.ClassMethod {
		return fmt.Sprintf("%s sends the message %s.", goName, unbroken(methodName(c, m)))
	}
	noParams := len(m.Params) == 0
	if name, ok := strings.CutPrefix(sel, "set"); ok && len(m.Params) == 1 && m.Ret.IsVoid() && strings.Count(sel,
		":") == 1 {
		prop := strings.TrimSuffix(name, ":")
		if getter := getterOf(c, prop); getter != nil {
			if getter.Ret.Name == "BOOL" {
				return fmt.Sprintf("%s sets the property that %s reports.", goName, g.nameOf(getter))
			}
			return fmt.Sprintf("%s sets the receiver's %s.", goName, words(prop))
		}
	}
	switch {
	case noParams && ret.kind == kindBool && strings.HasPrefix(sel, "are") && strings.HasSuffix(sel, "Supported"):
		return fmt.Sprintf("%s reports whether the receiver supports %s.", goName,
			words(strings.TrimSuffix(sel[3:], "Supported")))
	case noParams && ret.kind == kindBool && strings.HasPrefix(sel, "is"):
		return fmt.Sprintf("%s reports whether the receiver is %s.", goName, words(sel[2:]))
	case noParams && ret.kind == kindBool && strings.HasPrefix(sel, "has"):
		return fmt.Sprintf("%s reports whether the receiver has %s.", goName, words(sel[3:]))
	case noParams && ret.kind == kindBool && strings.HasPrefix(sel, "supports"):
		return fmt.Sprintf("%s reports whether the receiver supports %s.", goName, words(sel[8:]))
	case noParams && ret.kind == kindBool && strings.HasPrefix(sel, "should"):
		return fmt.Sprintf("%s reports whether the receiver should %s.", goName, words(sel[6:]))
	case noParams && ret.kind == kindBool:
		return fmt.Sprintf("%s reports the receiver's %s property.", goName, sel)
	case noParams && ret.kind != kindVoid && !retainedSelector(sel):
		return fmt.Sprintf("%s returns the receiver's %s.", goName, words(sel))
	case ret.kind == kindBool && len(m.Params) == 1 && strings.HasPrefix(sel, "supports"):
		return fmt.Sprintf("%s reports whether the receiver supports the given %s.", goName, words(m.Labels()[0][8:]))
	case sel == "reset":
		return fmt.Sprintf("%s restores the receiver's default values.", goName)
	case ret.kind == kindVoid && setIndexed.MatchString(sel):
		return fmt.Sprintf("%s sets the %s at an index.", goName, words(m.Labels()[0][3:]))
	case ret.kind == kindVoid && setRange.MatchString(sel):
		return fmt.Sprintf("%s sets %s at consecutive indices.", goName, words(m.Labels()[0][3:]))
	case sel == "objectAtIndexedSubscript:":
		return fmt.Sprintf("%s returns the element at an index.", goName)
	case sel == "setObject:atIndexedSubscript:":
		return fmt.Sprintf("%s sets the element at an index.", goName)
	case retainedSelector(sel) && ret.kind == kindObject && strings.HasPrefix(sel, "new"):
		return fmt.Sprintf("%s returns a new [%s].", goName, ret.elem)
	}
	return fmt.Sprintf("%s sends the message %s.", goName, unbroken(methodName(c, m)))
}

// Setters of tables, for one element and for several.
var (
	setIndexed = regexp.MustCompile(`^set\w+:(offset:)?at(Buffer)?Index:$`)
	setRange   = regexp.MustCompile(`^set\w+s:(offsets:)?with(Buffer)?Range:$`)
)

// getterOf finds the getter of a property of c by the name in its setter.
func getterOf(c *Class, prop string) *Method {
	for _, n := range []string{unexportedFirst(prop), prop, "is" + prop, "should" + prop, "supports" + prop} {
		if m := c.Find(n, false); m != nil && len(m.Params) == 0 {
			return m
		}
	}
	return nil
}

func unexportedFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// nameOf returns the Go name given to a method.
func (g *generator) nameOf(m *Method) string {
	if n := g.names[m]; n != "" {
		return n
	}
	return exported(m.Labels()[0])
}

// retainedSelector reports whether Objective-C's naming rule makes an object result +1.
func retainedSelector(sel string) bool {
	for _, fam := range []string{"alloc", "new", "copy", "mutableCopy", "init"} {
		if rest, ok := strings.CutPrefix(sel, fam); ok && (rest == "" || !('a' <= rest[0] && rest[0] <= 'z')) {
			return true
		}
	}
	return false
}

// facts is the last line of a comment: availability, ownership, encoding.
func facts(since Version, owner, encoding string) string {
	s := "Availability unknown."
	if since != (Version{}) {
		s = fmt.Sprintf("Since %v.", since)
	}
	if owner != "" {
		s += " The result is " + owner + "."
	}
	return s + " Type encoding " + encoding + "."
}

// ownership says who owns an object result.
func ownership(v value, retained bool) string {
	switch {
	case v.kind == kindObject || v.kind == kindAny || v.kind == kindBlockResult:
		if retained {
			return "+1: the caller releases it"
		}
		return "+0"
	case v.isArray():
		if retained {
			return "+1 each: the caller releases them"
		}
		return "+0"
	}
	return ""
}

// unbroken keeps wrap from breaking a line inside s.
func unbroken(s string) string { return strings.ReplaceAll(s, " ", "\x00") }

// wrap breaks text into comment lines.
func wrap(text string) []string {
	const width = 97
	var lines []string
	line := ""
	for _, w := range strings.Fields(text) {
		if line != "" && len(line)+1+len(w) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	if line != "" {
		lines = append(lines, line)
	}
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "\x00", " ")
	}
	return lines
}
