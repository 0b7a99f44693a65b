package typeenc

import "strings"

// InFamily reports whether a selector belongs to a family of methods, such as init, which says who
// owns what: it begins with the family's name, and a lower-case letter does not follow.
func InFamily(selector, family string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(selector, "_"), family)
	return ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z')
}
