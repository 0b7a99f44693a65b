package token

// A backslash at the end of a line joins it with the next, wherever it stands: within a name,
// between the characters of an operator, in a comment. Almost none stand within a token, so tokens
// are sought as if there were none, and only one that ends at a backslash is sought again, in a
// copy of the text without them.

// spliceAt returns the length of the backslash-newline at src[i], or 0. White space between the two
// is overlooked, as by other compilers.
func spliceAt(src string, i int) int {
	if i >= len(src) || src[i] != '\\' {
		return 0
	}
	j := i + 1
	for j < len(src) && classes[src[j]] == classSpace {
		j++
	}
	if j < len(src) && src[j] == '\n' {
		return j + 1 - i
	}
	return 0
}

// afterSplices returns the offset of the first byte from i on that is no backslash-newline.
func afterSplices(src string, i int) int {
	for {
		n := spliceAt(src, i)
		if n == 0 {
			return i
		}
		i += n
	}
}

// piece is a part of a copy of the text without backslash-newlines.
type piece struct{ clean, src int } // the offsets at which it begins in both

// lexSpliced finds the token at src[start], in which a backslash-newline stands; text is the token
// without.
func lexSpliced(src string, start int) (kind Kind, text string, end int) {
	var clean []byte
	var pieces []piece
	next, more := start, true
	// Each round doubles the pieces, so that the whole takes time in proportion to the token however
	// many there are.
	for round := 1; ; round *= 2 {
		for n := 0; more && n < round; n++ {
			next = afterSplices(src, next)
			pieces = append(pieces, piece{len(clean), next})
			from := next
			for next < len(src) && src[next] != '\n' && spliceAt(src, next) == 0 {
				next++
			}
			clean = append(clean, src[from:next]...)
			more = next < len(src) && src[next] != '\n'
		}
		s := string(clean)
		if s == "" { // nothing but backslash-newlines to the end of the line
			return EOF, "", next
		}
		var e int
		kind, e = lex(s, 0)
		if e+3 > len(s) && more {
			continue
		}
		i := len(pieces) - 1
		for pieces[i].clean >= e {
			i--
		}
		return kind, s[:e], pieces[i].src + e - pieces[i].clean
	}
}
