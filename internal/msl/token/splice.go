package token

// A backslash at the end of a line joins it to the next line anywhere: within a name, between the
// characters of an operator, in a comment. Since this is rare within a token, tokens are first
// scanned as if it did not exist; only a token that ends at a backslash is scanned again, in a copy
// of the text without backslash-newlines.

// spliceAt returns the length of the backslash-newline at src[i], or 0. As in other compilers,
// white space between the two is ignored.
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

// afterSplices returns the offset of the first byte from i on that is not part of a
// backslash-newline.
func afterSplices(src string, i int) int {
	for {
		n := spliceAt(src, i)
		if n == 0 {
			return i
		}
		i += n
	}
}

// piece is a contiguous part of a copy without backslash-newlines.
type piece struct{ clean, src int } // its offsets in the copy and in the source

// lexSpliced scans the token at src[start], which contains a backslash-newline; text is the token
// without it.
func lexSpliced(src string, start int) (kind Kind, text string, end int) {
	var clean []byte
	var pieces []piece
	next, more := start, true
	// Each round doubles the number of pieces, so the time is proportional to the length of the
	// token, however many pieces there are.
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
		if s == "" { // only backslash-newlines up to the end of the line
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
