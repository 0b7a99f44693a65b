package bindgen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseOverrides(t *testing.T) {
	o, err := ParseOverrides(`
[[method]]
class = "TSA"
selector = "run:"
reason = "r"
params = { bytes = "[]byte" }
[[class]]
name = "TSA"
reason = "r"
constructor = false
[[note]]
of = ["TSA", "TS? r*:"]
doc = " It is [height, width]. "
`)
	require.NoError(t, err)
	assert.Equal(t, "[]byte", o.method("TSA", &Method{Selector: "run:"}).Params["bytes"])
	assert.False(t, *o.class("TSA").Constructor)
	assert.Nil(t, o.class("TSB").Constructor)
	assert.Empty(t, o.notes("TSB"))
	assert.Empty(t, o.notes("TSA walk:"))
	assert.Equal(t, []string{"note TSA", "note TS? r*:"}, o.unused())
	for _, name := range []string{"TSA", "TSB run:"} {
		assert.Equal(t, " It is [height, width].", o.notes(name))
	}
	assert.Empty(t, o.unused())
}

func TestParseOverridesErrors(t *testing.T) {
	for src, want := range map[string]string{
		"[[method]]\nclass = \"A\"\nselector = \"b\"\n":                                      "method -[A b] has no reason",
		"[[method]]\nclass = \"A\"\nselector = \"b\"\nreason = \"  \"\n":                     "method -[A b] has no reason",
		"[[method]]\nclass = \"A\"\nreason = \"r\"\n":                                        "method entry without a name",
		"[[class]]\nname = \"A\"\n":                                                          "class A has no reason",
		"[[function]]\nname = \"F\"\n":                                                       "function F has no reason",
		"[[constant]]\nname = \"C\"\n":                                                       "constant C has no reason",
		"[[exclude]]\ngroup = \"g\"\n":                                                       "exclude g has no reason",
		"[[class]]\nname = \"A\"\nreason = \"r\"\nhandwriten = true\n":                       `unknown key "class.handwriten"`,
		"[[class]]\nname = \"A\"\nreason = \"r\"\n[[class]]\nname = \"A\"\nreason = \"r\"\n": "class A has two entries",
		"[[note]]\nof = [\"A\"]\ndoc = \" \"\n":                                              "it needs both",
		"[[note]]\ndoc = \"d\"\n":                                                            "it needs both",
		"[[note]]\nof = [\"A[\"]\ndoc = \"d\"\n":                                             "syntax error in pattern",
		"[[class]\n":                                                                         "overrides: ",
		"x = 1\n":                                                                            `unknown key "x"`,
	} {
		_, err := ParseOverrides(src)
		require.Error(t, err, "%q", src)
		assert.Contains(t, err.Error(), want, "%q", src)
	}
}

// FuzzParseOverrides: no input panics, and nothing without a reason gets through.
func FuzzParseOverrides(f *testing.F) {
	src, err := inputs.ReadFile("decl/metal/overrides.toml")
	require.NoError(f, err)
	f.Add(string(src))
	f.Add("[[method]]\nclass = \"A\"\nselector = \"b\"\nreason = \"r\"\nparams = { a = \"[]byte\" }\n")
	f.Add("[[exclude]]\ngroup = \"g\"\nreason = \"\\u0000\"\n")
	f.Fuzz(func(t *testing.T, src string) {
		o, err := ParseOverrides(src)
		if err != nil {
			return
		}
		var reasons []string
		for _, e := range o.Exclude {
			reasons = append(reasons, e.Reason)
		}
		for _, e := range o.Class {
			reasons = append(reasons, e.Reason)
		}
		for _, e := range o.Method {
			reasons = append(reasons, e.Reason)
		}
		for _, e := range o.Function {
			reasons = append(reasons, e.Reason)
		}
		for _, e := range o.Constant {
			reasons = append(reasons, e.Reason)
		}
		for _, r := range reasons {
			if strings.TrimSpace(r) == "" {
				t.Error("an entry without a reason was accepted")
			}
		}
	})
}
