package stream

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestExecutionString: messages name commands by their label and nothing else of them, since other
// goroutines may change the rest.
func TestExecutionString(t *testing.T) {
	c := &Indirect{Label: "draw"}
	assert.Equal(t, `commands "draw", command 3`, (&Execution{Commands: c, From: 3, N: 1}).String())
	assert.Equal(t, `commands "draw", commands 3 to 6`, (&Execution{Commands: c, From: 3, N: 4}).String())
}
