package objcsoft

import (
	"math"
	"path"
	"strconv"
	"strings"
)

// stringNumberMethods read a number from the start of a string.
func stringNumberMethods() []MethodSpec {
	return []MethodSpec{
		{"doubleValue", "d@:", func(c *Call) { c.ReturnF64(leadingFloat(c.selfString().goString())) }},
		{"floatValue", "f@:", func(c *Call) { c.ReturnF32(float32(leadingFloat(c.selfString().goString()))) }},
		{"intValue", "i@:", func(c *Call) {
			c.ReturnInt(min(max(leadingInt(c.selfString().goString()), math.MinInt32), math.MaxInt32))
		}},
		{"integerValue", "q@:", func(c *Call) { c.ReturnInt(leadingInt(c.selfString().goString())) }},
		{"longLongValue", "q@:", func(c *Call) { c.ReturnInt(leadingInt(c.selfString().goString())) }},
		{"boolValue", "B@:", func(c *Call) {
			s := strings.TrimLeft(c.selfString().goString(), " \t\n\r")
			s = strings.TrimLeft(strings.TrimLeft(s, "+-"), "0")
			c.ReturnBool(s != "" && strings.ContainsRune("YyTt123456789", rune(s[0])))
		}},
	}
}

func leadingInt(s string) int64 {
	s = strings.TrimLeft(s, " \t\n\r")
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || end == 0 && (s[0] == '-' || s[0] == '+')) {
		end++
	}
	n, _ := strconv.ParseInt(s[:end], 10, 64) // out of range gives the limit, no digits give 0
	return n
}

func leadingFloat(s string) float64 {
	s = strings.TrimLeft(s, " \t\n\r")
	digits := func(i int) int {
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i
	}
	end := 0
	if end < len(s) && (s[end] == '-' || s[end] == '+') {
		end++
	}
	end = digits(end)
	if end < len(s) && s[end] == '.' {
		end = digits(end + 1)
	}
	if end < len(s) && (s[end] == 'e' || s[end] == 'E') {
		exp := end + 1
		if exp < len(s) && (s[exp] == '-' || s[exp] == '+') {
			exp++
		}
		if last := digits(exp); last > exp {
			end = last
		}
	}
	f, _ := strconv.ParseFloat(s[:end], 64) // out of range gives an infinity, no digits give 0
	return f
}

// stringPathMethods treat a string as a path with slashes.
func stringPathMethods() []MethodSpec {
	return []MethodSpec{
		{"isAbsolutePath", "B@:", func(c *Call) {
			s := c.selfString().goString()
			c.ReturnBool(strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~"))
		}},
		{"lastPathComponent", "@@:", func(c *Call) { c.returnString(lastComponent(c.selfString().goString())) }},
		{"pathExtension", "@@:", func(c *Call) { c.returnString(pathExtension(c.selfString().goString())) }},
		{"stringByDeletingLastPathComponent", "@@:", func(c *Call) {
			c.returnString(deleteLastComponent(c.selfString().goString()))
		}},
		{"stringByDeletingPathExtension", "@@:", func(c *Call) {
			c.returnString(deleteExtension(c.selfString().goString()))
		}},
		{"stringByAppendingPathComponent:", "@@:@", func(c *Call) {
			if w := c.stringArg(0); w != nil {
				c.returnString(appendComponent(c.selfString().goString(), w.goString()))
			}
		}},
		{"stringByAppendingPathExtension:", "@@:@", func(c *Call) {
			if w := c.stringArg(0); w != nil {
				c.returnString(strings.TrimRight(c.selfString().goString(), "/") + "." + w.goString())
			}
		}},
	}
}

func lastComponent(s string) string {
	if t := strings.TrimRight(s, "/"); t != "" {
		return path.Base(t)
	}
	if s != "" {
		return "/"
	}
	return ""
}

func pathExtension(s string) string {
	base := lastComponent(s)
	if i := strings.LastIndexByte(base, '.'); i > 0 {
		return base[i+1:]
	}
	return ""
}

func deleteLastComponent(s string) string {
	t := strings.TrimRight(s, "/")
	i := strings.LastIndexByte(t, '/')
	switch {
	case t == "" && s != "", i == 0:
		return "/"
	case i < 0:
		return ""
	default:
		return strings.TrimRight(t[:i], "/")
	}
}

func deleteExtension(s string) string {
	t := strings.TrimRight(s, "/")
	if ext := pathExtension(t); ext != "" {
		return strings.TrimSuffix(t, "."+ext)
	}
	if t == "" && s != "" {
		return "/"
	}
	return t
}

func appendComponent(s, component string) string {
	if s == "" {
		return component
	}
	return strings.TrimRight(s, "/") + "/" + strings.TrimLeft(component, "/")
}
