package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/cmd/puremetal/internal/bench"
)

// remote is what would make a browser fetch something.
var remote = regexp.MustCompile(`<script[^>]*\ssrc\s*=|<link\b|<img\b|<iframe\b|@import|url\(\s*['"]?https?:`)

// bodies are scripts, whose strings are not the page's.
var bodies = regexp.MustCompile(`(?s)(<script[^>]*>).*?</script>`)

func TestPage(t *testing.T) {
	rep := &bench.Report{Device: "<b>Abacus</b>", Results: []bench.Result{
		{Name: "one", What: "a < b", MedianUS: 1500, LowUS: 1200, HighUS: 1800, Runs: 3, GBs: 2,
			Fraction: 0.25, Of: "memory"},
		{Name: "two", MedianUS: 0.5, Runs: 9},
		{Name: "three", MedianUS: math.Inf(1), GFLOPs: 1e3, Fraction: 1.5, Of: "arithmetic"},
	}}
	old := &bench.Report{Results: []bench.Result{{Name: "one", MedianUS: 100, LowUS: 90, HighUS: 110}}}
	for _, o := range []*bench.Report{nil, old} {
		var b bytes.Buffer
		require.NoError(t, Write(&b, rep, o))
		has := func(text string) bool { return strings.Contains(b.String(), text) }
		assert.Empty(t, remote.FindString(bodies.ReplaceAllString(b.String(), "$1")))
		assert.True(t, has("&lt;b&gt;Abacus") && !has("<b>Abacus"))
		assert.True(t, has("<td>1.5 ms</td>"))
		assert.True(t, has("25 % memory"))
		assert.True(t, has("> 100 % arithmetic") || has("&gt; 100 % arithmetic"))
		assert.False(t, has("150 %") || has(`"value":150}`), "no share above 100 %")
		assert.True(t, has("faster than the measured peak: three"))
		policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; ` +
			`script-src ((?:'sha256-[^']+' ?)+);`).FindStringSubmatch(b.String())
		require.NotNil(t, policy)
		scripts := scriptText.FindAllStringSubmatch(b.String(), -1)
		assert.Len(t, strings.Fields(policy[1]), len(scripts))
		for _, s := range scripts {
			sum := sha256.Sum256([]byte(s[1]))
			assert.Contains(t, policy[1], base64.StdEncoding.EncodeToString(sum[:]))
		}
		assert.True(t, has(`"value":1500000`))
		assert.Equal(t, o != nil, has(`<td class="slower">100 µs, slower<br><small>15.00 (11.77 to `))
		assert.Equal(t, o != nil, has(`"name":"before"`))
		assert.Equal(t, o != nil, has("<th>before</th>"))
	}
}

func TestRound(t *testing.T) {
	for f, want := range map[float64]float64{0: 0, 123456: 123500, -0.00123456: -0.001235, math.Inf(1): 0, 7: 7} {
		assert.InDelta(t, want, round(f), math.Abs(want)*1e-9)
	}
	assert.Zero(t, round(math.NaN()))
}
