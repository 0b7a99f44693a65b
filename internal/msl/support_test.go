package msl

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/diag"
)

// TestSupportPage compiles the programs in docs/msl-support.md: the page is correct, and there is a
// program for every code of an unsupported feature.
func TestSupportPage(t *testing.T) {
	failOnInternal(t)
	page, err := os.ReadFile("../../docs/msl-support.md")
	require.NoError(t, err)
	text := strings.ReplaceAll(string(page), "\r\n", "\n")
	shown := map[diag.Code]bool{}
	taken := 0
	for _, m := range regexp.MustCompile("(?ms)^```metal ?(\\w*)\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		code, source := diag.Code(m[1]), "#include <metal_stdlib>\nusing namespace metal;\n"+m[2]
		first, _, _ := strings.Cut(m[2], "\n")
		var warnings diag.Warnings
		if code == "" {
			warnings = diag.EveryWarning()
		}
		mod, diags := Compile(context.Background(), Source{Text: source}, Options{Verify: true, Warnings: warnings})
		if code == "" {
			taken++
			assert.Empty(t, diags, "%s", render(t, mod, diags))
			assert.NotEmpty(t, mod.IR.Funcs, "%s", first)
			continue
		}
		shown[code] = true
		for _, d := range diags {
			assert.Equal(t, code, d.Code, "%s", render(t, mod, diags))
			assert.True(t, strings.HasPrefix(d.Message, "not supported: "), d.Message)
		}
		assert.NotEmpty(t, diags, "%s is said to have %s", first, code)
	}
	assert.GreaterOrEqual(t, taken, 5)
	for _, c := range diag.Codes() {
		if strings.HasPrefix(string(c.Code), "U") {
			assert.True(t, shown[c.Code], "%s (%s) has no program", c.Code, c.Doc)
		}
	}
}
