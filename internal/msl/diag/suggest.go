package diag

import "iter"

// Suggest returns the candidate closest to a misspelled name, or "" if none is close enough. Among
// equally close candidates it returns the first in sort order, regardless of the order of
// iteration.
func Suggest(name string, candidates iter.Seq[string]) string {
	if len(name) < 2 {
		return "" // any other single letter is one edit away
	}
	best, least := "", min(3, (len(name)+2)/3)
	for c := range candidates {
		if c == name || c == "" {
			continue
		}
		if d := distance(name, c, least); d < least || d == least && (best == "" || c < best) {
			best, least = c, d
		}
	}
	return best
}

// distance returns how many insertions, deletions, replacements and swaps of neighbors turn a into
// b, or limit+1 if that is more than limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit || len(a) > 255 || len(b) > 255 {
		return limit + 1
	}
	var rows [3][256]int
	before, prev, cur := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			cur[j] = d
			least = min(least, d)
		}
		if least > limit {
			return limit + 1
		}
		before, prev, cur = prev, cur, before
	}
	return min(prev[len(b)], limit+1)
}
