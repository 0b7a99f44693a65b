package gokernel

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestThinLines(t *testing.T) {
	assert.Equal(t, `// What Go means.
#line 2 "go"
struct S {};
#line 4 "a.go"
void f() {
  one();
#line 5
  two();
  three();
}
// more
#line 9 "b.go"
more();
`, thinLines(`#line 1 "go"
// What Go means.
struct S {};
#line 4 "a.go"
void f() {
#line 5 "a.go"
  one();
#line 5 "a.go"
  two();
#line 9 "a.go"
#line 6 "a.go"
  three();
#line 7 "b.go"
}
// more
#line 9 "b.go"
more();
`))
}
