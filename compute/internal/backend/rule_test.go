package backend

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRule(t *testing.T) {
	all := []string{"own", "mps", "mpsgraph"}
	for _, c := range []struct {
		op    string
		log2  int
		names []string
		want  string
	}{
		{"matmul", 40, all, "mps"},
		{"matmul", 24, all, "mps"},
		{"matmul", 23, all, "own"},
		{"matmul", 40, all[:1], "own"},
		{"conv", 40, all, "mpsgraph"},
		{"conv", 27, all, "own"},
		{"conv", 40, all[:2], "own"},
		{"softmax", 40, all, "own"},
	} {
		name, reason := Rule(c.op, c.log2, c.names)
		assert.Equal(t, c.want, name, "%+v", c)
		assert.Contains(t, reason, "by rule: ")
	}
	assert.Equal(t, []int{0, 0, 1, 23, 24}, []int{Log2(0), Log2(1), Log2(3), Log2(1<<24 - 1), Log2(1 << 24)})
}
