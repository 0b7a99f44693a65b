package ir

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLogPieces(t *testing.T) {
	assert.Empty(t, LogPieces(""))
	assert.Equal(t, []LogPiece{{Text: "100% sure"}}, LogPieces("100%% sure"))
	assert.Equal(t, []LogPiece{
		{"a", &LogConversion{Text: "%-08.3v4hlx", Flags: "-0", Width: 8, Precision: 3, Lanes: 4, Length: "hl", Letter: 'x'}},
		{"%", &LogConversion{Text: "%.f", Precision: 0, Lanes: 1, Letter: 'f'}},
		{"", &LogConversion{Text: "%lld", Precision: -1, Lanes: 1, Length: "ll", Letter: 'd'}},
		{Text: " b"},
	}, LogPieces("a%-08.3v4hlx%%%.f%lld b"))
	for format, valid := range map[string]bool{
		"%d": true, "%v3d": true, "%s": true, "%p": true, "%c": true, "%1024.1024g": true,
		"%": false, "%l": false, "%n": false, "%v5d": false, "%v4c": false, "%v2s": false, "%v2p": false, "%1025d": false,
		"%.1025d":                   false,
		"%99999999999999999999999d": false, "%*d": false, "%@": false, "%{public}d": false,
	} {
		list := LogPieces(format)
		assert.Equal(t, valid, list[0].Conversion.Valid(), format)
	}
}

func TestLogPad(t *testing.T) {
	for format, want := range map[string]string{"%s": "text", "%6s": "  text", "%-6s": "text  ", "%.2s": "te",
		"%06s": "  text", "%2s": "text"} {
		assert.Equal(t, want, LogPieces(format)[0].Conversion.Pad("text"), format)
	}
}
