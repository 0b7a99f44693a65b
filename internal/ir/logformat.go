package ir

import "strings"

// LogConversion is one conversion in a message's format, as in printf:
// %[flags][width][.precision][vn][length]letter.
type LogConversion struct {
	Text      string // as written
	Flags     string // some of "-+ #0"
	Width     int
	Precision int    // -1 if absent
	Lanes     int    // 1, or 2 to 4 for a vector
	Length    string // "", "hh", "h", "hl", "l" or "ll"
	Letter    byte   // 0 if missing
}

// maxLogWidth bounds widths and precisions.
const maxLogWidth = 1024

// Letters of conversions.
const (
	logInts   = "diouxXc"
	logFloats = "fFeEgGaA"
)

// Valid reports whether the conversion is allowed in messages.
func (k *LogConversion) Valid() bool {
	if k.Width > maxLogWidth || k.Precision > maxLogWidth || k.Letter == 0 || !strings.ContainsRune(logInts+logFloats+"ps",
		rune(k.Letter)) {
		return false
	}
	return k.Lanes == 1 || k.IsInt() && k.Letter != 'c' || k.IsFloat()
}

// IsInt reports whether the conversion formats integers.
func (k *LogConversion) IsInt() bool {
	return k.Letter != 0 && strings.IndexByte(logInts, k.Letter) >= 0
}

// IsFloat reports whether the conversion formats floats.
func (k *LogConversion) IsFloat() bool {
	return k.Letter != 0 && strings.IndexByte(logFloats, k.Letter) >= 0
}

// LogPiece is a part of a format: text and the conversion after it. The last piece may have no
// conversion.
type LogPiece struct {
	Text       string
	Conversion *LogConversion
}

// LogPieces splits a format into its pieces.
func LogPieces(format string) (list []LogPiece) {
	var text strings.Builder
	for i := 0; i < len(format); {
		if format[i] != '%' {
			n := strings.IndexByte(format[i:], '%')
			if n < 0 {
				n = len(format) - i
			}
			text.WriteString(format[i : i+n])
			i += n
			continue
		}
		if strings.HasPrefix(format[i:], "%%") {
			text.WriteByte('%')
			i += 2
			continue
		}
		k, n := logConversion(format[i:])
		i += n
		list = append(list, LogPiece{text.String(), k})
		text.Reset()
	}
	if text.Len() > 0 {
		list = append(list, LogPiece{Text: text.String()})
	}
	return list
}

// logConversion parses the conversion at the start of a string and returns its length.
func logConversion(s string) (k *LogConversion, n int) {
	k = &LogConversion{Precision: -1, Lanes: 1}
	n = 1
	from := n
	for n < len(s) && strings.IndexByte("-+ #0", s[n]) >= 0 {
		n++
	}
	k.Flags = s[from:n]
	number := func() (v int) {
		for ; n < len(s) && s[n] >= '0' && s[n] <= '9'; n++ {
			v = min(v*10+int(s[n]-'0'), maxLogWidth+1)
		}
		return v
	}
	k.Width = number()
	if n < len(s) && s[n] == '.' {
		n++
		k.Precision = number()
	}
	if n+1 < len(s) && s[n] == 'v' && s[n+1] >= '2' && s[n+1] <= '4' {
		k.Lanes = int(s[n+1] - '0')
		n += 2
	}
	for _, l := range [...]string{"hh", "hl", "ll", "h", "l"} {
		if strings.HasPrefix(s[n:], l) {
			k.Length = l
			n += len(l)
			break
		}
	}
	if n < len(s) {
		k.Letter = s[n]
		n++
	}
	k.Text = s[:n]
	return k, n
}

// takes reports whether a conversion accepts an operand of a type.
func (k *LogConversion) takes(t Type) bool {
	if t.Lanes() != k.Lanes {
		return false
	}
	switch {
	case k.IsFloat():
		return t.Kind == F32
	case k.IsInt():
		return t.Kind == I32 || t.Kind == I64
	}
	return k.Letter == 'p' && t.Kind == I64
}

// Pad truncates a string to the conversion's precision and pads it to its width.
func (k *LogConversion) Pad(s string) string {
	if k.Precision >= 0 && k.Precision < len(s) {
		s = s[:k.Precision]
	}
	blanks := strings.Repeat(" ", max(k.Width-len(s), 0))
	if strings.Contains(k.Flags, "-") {
		return s + blanks
	}
	return blanks + s
}
