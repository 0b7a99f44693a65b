package gokernel

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestProvenIndices: an index that conditions show to be valid is not compared again; one that may
// be invalid, also because a sum may wrap, is.
func TestProvenIndices(t *testing.T) {
	check := regexp.MustCompile(`len \? |len\) \{ x`)
	for body, proven := range map[string]bool{
		"if i >= w && w > 0 && i+w < len(x) { v := x[i]; _ = v }":                                 false, // i+w may wrap
		"if j >= w32 && w32 > 0 && j+w32 < len(x) { v := x[j-w32] + x[j+w32] + x[j]; _ = v }":     true,
		"if i >= 1 && i < len(x)-1 { v := x[i-1] + x[i] + x[i+1]; _ = v }":                        true,
		"if i >= 1 && i+1 < len(x) { v := x[i]; _ = v }":                                          false, // i+1 may wrap
		"if n := len(x) - 2; i >= 0 && i < n { v := x[i+2] + x[i+1]; _ = v }":                     true,
		"if i >= 0 && i < len(x) && len(x) <= len(y) { v := y[i]; _ = v }":                        true,
		"if at := i*w + 3; at >= 3 && at < len(x) { v := x[i*w+3] + x[at-2] + x[i*w]; _ = v }":    false, // i*w may wrap
		"if at := int(c)*w32 + 3; at >= 3 && at < len(x) { v := x[int(c)*w32] + x[at-2]; _ = v }": true,
		"for k := 1; k < len(x)-1; k++ { v := x[k-1] + x[k+1]; _ = v }":                           true,
		"for k := range x { if k > 0 { v := x[k-1]; _ = v } }":                                    true,
		"if c < uint32(len(x)) && d <= c { v := x[c-d]; _ = v }":                                  true,
		"if len(x) >= 4 { v := x[3] + x[0]; _ = v }":                                              true,
		"if l := t.Local.X; int(2*l+1) < len(x) { v := x[2*l] + x[2*l+1]; _ = v }":                true,
		"if i >= 0 && i < len(x) { x[i] = x[len(x)-1-i] }":                                        true,
		"if j >= w32 && j+w32 < len(x) { v := x[j]; _ = v }":                                      false, // w may be negative
		"if j >= 1 && j+1 <= len(x) { v := x[i+1]; _ = v }":                                       false,
		"if i < len(x) { v := x[i]; _ = v }":                                                      false,
		"if c+d < uint32(len(x)) { v := x[c]; _ = v }":                                            false, // c+d may wrap
		"if c-d < uint32(len(x)) { v := x[c-d]; _ = v }":                                          false,
		"if j >= 1 && j+1 < len(x) { j++; v := x[j]; _ = v }":                                     false,
		"if i >= 0 && i < len(x) && len(x) >= len(y) { v := y[i]; _ = v }":                        false,
		"if i >= 0 && i < len(x) { x = x[1:]; v := x[i]; _ = v }":                                 false,
		"a := i; i += 9; if a >= 0 && a < len(x) { v := x[i-10]; _ = v }":                         false,
		"a, b := i, 5; b, a = a, b; if a >= 0 && b < len(x) { v := x[b]; _ = v }":                 false,
		"if w >= 2 && i >= 0 && i/w < len(x) { v := x[i]; _ = v }":                                false,
		"if i*i < len(x) && i >= 0 { v := x[i]; _ = v }":                                          false,
	} {
		r, err := translateText(t, `package k

import "github.com/puremetal/puremetal/kernel"

`+markK+`, p [3]int64, c, d uint32, w16 int16, x, y []int32) {
i, j, w, w32 := int(p[0]), int(int32(p[2])), int(p[1]), int(w16)
_, _, _, _ = i, j, w, w32
`+body+"\n}\n")
		require.NoError(t, err, "%s", body)
		require.Empty(t, r.Refused, "%s", body)
		assert.Equal(t, proven, !check.MatchString(r.Text), "%s\n%s", body, r.Text)
	}
}
