package lint

import (
	"strings"
	"testing"
)

// unsafeConfined: package unsafe is used only where a reviewer expects it.
func unsafeConfined(tr *tree) (bad []string) {
	for _, f := range tr.gos {
		spec, ok := f.imports()["unsafe"]
		if !ok || f.isTest() || within(f.path, "objc") ||
			strings.HasSuffix(f.path, "_unsafe.go") || strings.HasSuffix(f.path, "_darwin.go") {
			continue
		}
		bad = append(bad, tr.at(f, spec.Pos(), "imports unsafe: it belongs in *_unsafe.go, in *_darwin.go or under objc/"))
	}
	return bad
}

func TestUnsafeConfined(t *testing.T) { holds(t, unsafeConfined) }

func TestUnsafeConfinedSeen(t *testing.T) {
	const src = "package a\nimport _ \"unsafe\"\n"
	sees(t, unsafeConfined, []breach{
		{"allowed", map[string]string{
			"objc/words.go": src, "objc/internal/ccall/frame.go": src, "mtl/view_unsafe.go": src,
			"pool/page_darwin.go": src, "mtl/layout_test.go": src, "mtl/a.go": "package a\nimport \"fmt\"\nvar _ = fmt.Sprint\n",
		}, nil},
		{"elsewhere", map[string]string{"mtl/unsafe.go": src, "mtl/zbuffer.go": src, "objcx/a.go": src},
			[]string{"mtl/unsafe.go:2: imports unsafe", "mtl/zbuffer.go:2", "objcx/a.go:2"}},
	})
}
