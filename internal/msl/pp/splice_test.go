package pp

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSplicesChangeNothing inserts backslash-newlines into a source wherever possible: the output
// is the same.
func TestSplicesChangeNothing(t *testing.T) {
	src := kernels(120)
	plain, diags, _ := process(t, src, Options{})
	require.Empty(t, diags)
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		for i := range len(src) {
			if r.IntN(6) == 0 && (i == 0 || src[i-1] != '\\') {
				b.WriteString([]string{"\\\n", "\\\r\n", "\\ \n", "\\\n\\\n"}[r.IntN(4)])
			}
			b.WriteByte(src[i])
		}
		toks, diags, _ := process(t, b.String(), Options{})
		require.Empty(t, diags)
		require.Len(t, toks, len(plain))
		for i, tok := range toks {
			require.Equal(t, plain[i].Text, tok.Text)
			require.Equal(t, plain[i].Kind, tok.Kind)
			require.Equal(t, plain[i].Flags, tok.Flags, "token %d, %v", i, tok)
		}
	}
}
