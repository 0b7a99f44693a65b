package objcsoft

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// abiTable is the part of the ABI tables that the tests here compare with.
type abiTable struct {
	Classes []struct {
		Name, Kind, Super string
		Conforms          []string
		Methods           []struct {
			Selector    string
			ClassMethod bool `json:"class_method"`
			Encoding    string
		}
	}
	Functions []struct{ Name, Encoding string }
	Constants []struct{ Name string }
}

const abiFile = "../../../shared/abi/foundation.json"

func readTable(t *testing.T) *abiTable {
	t.Helper()
	b, err := os.ReadFile(abiFile)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the ABI tables are not beside the repository (%s)", abiFile)
	}
	require.NoError(t, err)
	table := new(abiTable)
	require.NoError(t, json.Unmarshal(b, table))
	return table
}

type methodKey struct {
	class, selector string
	meta            bool
}

func TestFoundationMatchesTables(t *testing.T) {
	table := readTable(t)
	methods := map[methodKey]string{}
	supers := map[string]string{}
	conforms := map[string][]string{}
	classes := map[string]bool{}
	for _, c := range table.Classes {
		name := c.Name
		if c.Kind == "protocol" {
			name = "<" + name + ">"
		} else {
			supers[name] = c.Super
			classes[name] = true
		}
		for _, p := range c.Conforms {
			conforms[name] = append(conforms[name], "<"+p+">")
		}
		for _, m := range c.Methods {
			methods[methodKey{name, m.Selector, m.ClassMethod}] = m.Encoding
		}
	}
	var declared func(class, selector string, meta bool) (string, bool)
	declared = func(class, selector string, meta bool) (string, bool) {
		if enc, ok := methods[methodKey{class, selector, meta}]; ok {
			return enc, true
		}
		for _, p := range conforms[class] {
			if enc, ok := declared(p, selector, meta); ok {
				return enc, true
			}
		}
		if super := supers[class]; super != "" {
			return declared(super, selector, meta)
		}
		return "", false
	}

	rt := New()
	compared := 0
	for _, name := range rt.Classes() {
		class := rt.Class(name)
		if name == blockClass || name == "Protocol" {
			// No header declares them; what they answer is NSObject's and NSCopying's.
			for _, m := range class.OwnMethods() {
				enc, ok := declared("<NSCopying>", m.Selector, m.ClassMethod)
				require.True(t, ok, "%s %s", name, m.Selector)
				require.Equal(t, enc, m.Encoding)
			}
			continue
		}
		require.True(t, classes[name], "class %s is in no table", name)
		if super := supers[name]; super != "" {
			require.Equal(t, super, class.Super.Name, "superclass of %s", name)
		}
		for _, m := range class.OwnMethods() {
			enc, ok := declared(name, m.Selector, m.ClassMethod)
			require.True(t, ok, "%s is in no table", class.bracketed(m.Selector))
			require.Equal(t, enc, m.Encoding, "%s", class.bracketed(m.Selector))
			compared++
		}
		for _, p := range class.Protocols() {
			require.Contains(t, conforms[name], "<"+p+">", "class %s", name)
		}
	}
	t.Logf("%d methods compared", compared)
	require.Greater(t, compared, 300)

	for _, f := range table.Functions {
		if g := rt.Function(f.Name); g != nil && f.Name != "NSMakeRange" {
			require.Equal(t, f.Encoding, g.Encoding, "function %s", f.Name)
		}
	}
	constants := map[string]bool{}
	for _, c := range table.Constants {
		constants[c.Name] = true
	}
	for _, c := range errorConstants {
		require.True(t, constants[c[0]], "constant %s", c[0])
	}
}
