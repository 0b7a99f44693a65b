package objc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/test/abitest"
)

// The methods that this package itself sends match the ABI tables.
func TestABIFoundation(t *testing.T) {
	tables := abitest.Load(t)
	n := 0
	check := func(m *Method) {
		want, owner := tables.Method(m.Class, m.Selector, m.IsClassMethod)
		require.NotNilf(t, want, "%s is not in the tables", m.Name())
		require.Equalf(t, want.Encoding, m.Encoding, "%s of %s", m.Name(), owner.Name)
		require.Equalf(t, want.ReturnsRetained, m.Retained, "%s", m.Name())
		n++
	}
	for i := range rootMethods {
		check(&rootMethods[i])
	}
	for i := range foundationMethods {
		check(&foundationMethods[i])
	}
	check(&classAlloc)
	check(&classNew)
	t.Logf("%d methods, 0 different", n)
	for _, c := range []*Constant{&underlyingErrorKey, &localizedDescriptionKey} {
		require.NotNilf(t, tables.Constant(c.Name), "%s", c.Name)
	}
}
