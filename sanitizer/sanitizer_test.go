package sanitizer_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/sanitizer"
)

func TestParse(t *testing.T) {
	k, err := sanitizer.Parse("race,bounds")
	require.NoError(t, err)
	assert.Equal(t, sanitizer.Race|sanitizer.Bounds, k)
	assert.Equal(t, "bounds,race", k.String())
	k, err = sanitizer.Parse("all")
	require.NoError(t, err)
	assert.Equal(t, sanitizer.All, k)
	_, err = sanitizer.Parse("race,raze")
	require.ErrorContains(t, err, `"raze" is no kind of findings; the kinds are all, bounds, race`)
}

func TestJSON(t *testing.T) {
	f := sanitizer.Finding{Kind: sanitizer.Race, Message: "m", Memory: `buffer 0 "x"`, Offset: 8, Size: 4,
		Access: sanitizer.Access{Place: sanitizer.Place{File: "k.metal", Line: 3, Column: 5}, Kernel: "k", Does: "writes",
			Value:  sanitizer.Value{Type: "float", Text: "0.5"},
			Thread: sanitizer.Thread{Known: true, Threadgroup: [3]int{1}, Position: [3]int{33}, Index: 33}},
		Other: &sanitizer.Access{Place: sanitizer.Place{File: "k.metal", Line: 2, Column: 5}, Kernel: "k", Does: "reads"}}
	b, err := json.Marshal(&f)
	require.NoError(t, err)
	assert.JSONEq(t, `{"kind": "race", "message": "m", "kernel": "k", "file": "k.metal", "line": 3, "column": 5,
		"thread": {"threadgroup": [1,0,0], "position": [33,0,0], "index": 33, "lane": 1}, "does": "writes",
		"type": "float", "value": "0.5",
		"memory": "buffer 0 \"x\"", "offset": 8, "size": 4,
		"other": {"kernel": "k", "file": "k.metal", "line": 2, "column": 5, "thread": null, "does": "reads"}}`, string(b))
	var back sanitizer.Finding
	require.NoError(t, json.Unmarshal(b, &back))
	assert.Equal(t, f, back)
	assert.Equal(t, "k.metal:3:5: race: m\n  thread [33 0 0] of threadgroup [1 0 0] of kernel \"k\" writes 4 bytes at "+
		"offset 8 of buffer 0 \"x\": float 0.5\n  another thread reads at k.metal:2:5", f.String())
}
