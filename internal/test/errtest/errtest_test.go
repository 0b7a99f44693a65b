package errtest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/puremetal/puremetal/internal/msl/diag"
)

// complainer reports an error E9999 "wrong word" for each word bad, and a warning for each word
// odd.
func complainer(fs *diag.FileSet, f *diag.File, sink *diag.Sink) {
	for i := range f.Text {
		if strings.HasPrefix(f.Text[i:], "bad") {
			sink.Errorf("E9999", f.Pos(i), f.Pos(i+3), "wrong word")
		}
		if strings.HasPrefix(f.Text[i:], "odd") {
			sink.Warnf("E9998", f.Pos(i), f.Pos(i+3), "strange word")
		}
		if strings.HasPrefix(f.Text[i:], "<<") {
			sink.Errorf("E9997", f.Pos(i+2), f.Pos(i+2), "behind")
		}
	}
}

func TestCheck(t *testing.T) {
	for text, problems := range map[string]int{
		`good`:                               0,
		`bad`:                                1,
		`bad /* ERROR "word" */`:             0,
		`bad /* ERROR E9999 "wrong word" */`: 0,
		`bad /* ERROR E9998 "wrong word" */`: 2,
		`bad /* ERROR "ward" */`:             2,
		`good /* ERROR "word" */`:            1,
		"bad\n  /* ERROR \"word\" */":        0,
		`odd`:                                0,
		`odd /* WARNING "strange" */`:        0,
		`odd /* ERROR "strange" */`:          1,
		`good bad /* ERROR "wrong" */ bad`:   1,
		`a << /* ERROR "behind" */ b`:        0,
		`bad /* ERROR "w" */ /* ERROR "" */`: 1,
		`bad /* ERROR word */`:               1,
		"bad x /* ERROR `word` */":           2,
		"bad x /* ERROR LINE `word` */":      0,
		"/* ERROR LINE E9999 `word` */ bad":  0,
		"bad\n/* ERROR LINE `word` */ good":  2,
	} {
		got := check(Program{Name: "x", Text: text, Line: 1}, complainer, make(map[diag.Code]int))
		assert.Len(t, got, problems, "%s: %v", text, got)
	}
}

func TestSplit(t *testing.T) {
	list := Split("a.metal", "one\n//--- second\ntwo\nthree\n//--- empty ---\n\n//--- last ---\nfour")
	assert.Equal(t, []Program{
		{"a.metal", "one\n", 1},
		{"a.metal/second", "two\nthree\n", 3},
		{"a.metal/last", "four", 8},
	}, list)
}

func TestRunCollectsCodes(t *testing.T) {
	codes := Run(t, []Program{{"x", `bad /* ERROR "word" */ odd`, 1}}, complainer)
	assert.Equal(t, map[diag.Code]int{"E9999": 1, "E9998": 1}, codes)
}

func TestVersion(t *testing.T) {
	assert.Equal(t, 230, Version("a.metal/bfloat [metal 2.3]"))
	assert.Equal(t, 0, Version("a.metal/bfloat"))
	assert.Equal(t, 0, Version("a.metal/an array [3]"))
}
