package lint

import "testing"

// noCgo: no file imports "C".
func noCgo(tr *tree) (bad []string) {
	for _, f := range tr.gos {
		if spec, ok := f.imports()["C"]; ok {
			bad = append(bad, tr.at(f, spec.Pos(), `imports "C": the project builds with CGO_ENABLED=0`))
		}
	}
	return bad
}

func TestNoCgo(t *testing.T) { holds(t, noCgo) }

func TestNoCgoSeen(t *testing.T) {
	sees(t, noCgo, []breach{
		{"none", map[string]string{"a/a.go": "package a\nimport \"fmt\"\n// import \"C\"\nvar _ = fmt.Sprint\n"}, nil},
		{"in code", map[string]string{"a/a.go": "package a\nimport \"C\"\n"}, []string{`a/a.go:2: imports "C"`}},
		{"in a test, for one system", map[string]string{"a/a_test.go": "//go:build darwin\n\npackage a\nimport \"C\"\n"},
			[]string{"a/a_test.go:4"}},
	})
}
