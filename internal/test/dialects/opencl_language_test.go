package dialects

import (
	"testing"

	"github.com/puremetal/puremetal/internal/msl/dialect"
)

// TestOpenCLLayout has the sizes of structures whose attributes stand before and after their
// members, by the layout rules of C. PoCL 3.1 gave the same for wide_t and the string.
func TestOpenCLLayout(t *testing.T) {
	values(t, dialect.OpenCL, `
typedef struct { char a; int b; } plain_t;
typedef struct __attribute__((packed)) { char a; int b; short c; } before_t;
typedef struct { char a; int b; short c; } __attribute__((packed)) after_t;
typedef struct { char a; int b; } __attribute__((__packed__)) under_t;
typedef struct { int x; } __attribute__((aligned(16))) wide_t;
typedef struct { char c; int x __attribute__((aligned(8))); char d; } member_t;
typedef struct { char c; float3 v; char d; } vector_t;
typedef struct { wide_t a[2]; char b; } nested_t;
`, "after_t p; nested_t n;", []value{
		{"int", "sizeof(plain_t)", int32(8)},
		{"int", "sizeof(before_t)", int32(7)},
		{"int", "sizeof(after_t)", int32(7)},
		{"int", "sizeof(under_t)", int32(5)},
		{"int", "sizeof(wide_t)", int32(16)},
		{"int", "sizeof(member_t)", int32(16)},
		{"int", "sizeof(vector_t)", int32(48)},
		{"int", "sizeof(nested_t)", int32(48)},
		{"int", "sizeof(\"abc\") + sizeof \"\"", int32(5)},
		{"int", "(int)((char *)&p.c - (char *)&p)", int32(5)},
		{"int", "(int)((char *)&n.b - (char *)&n)", int32(32)},
	})
}
