package softmetal

import (
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/metal"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newRuntime returns a runtime with the framework loaded.
func newRuntime(t *testing.T) *objcsoft.Runtime {
	t.Helper()
	rt := objcsoft.New()
	require.NoError(t, Register(rt))
	require.Nil(t, rt.Class("PMSoftDevice"), "nothing is made before the framework is loaded")
	require.NoError(t, rt.LoadFramework(metal.FrameworkName))
	return rt
}

// TestExtensions: the device answers each message that it offers beyond Metal.
func TestExtensions(t *testing.T) {
	rt := newRuntime(t)
	for _, m := range extension.Table {
		k := rt.Class(m.Class)
		if assert.NotNil(t, k, m.Class) && assert.NotNil(t, k.Method(rt.Sel(m.Selector)), m.Selector) {
			assert.Equal(t, m.Encoding, k.Method(rt.Sel(m.Selector)).Encoding(), m.Selector)
		}
	}
}

func TestRegister(t *testing.T) {
	rt := newRuntime(t)
	k := rt.Class("PMSoftDevice")
	require.NotNil(t, k)
	assert.True(t, k.ConformsTo(rt.Protocol("MTLDevice")))
	assert.True(t, rt.Protocol("MTLBuffer") != nil && rt.Protocol("MTLResource") != nil)
	for _, name := range metal.Constants {
		_, ok := rt.Constant(name)
		assert.True(t, ok, name)
	}
	assert.Zero(t, rt.LiveTotal())
}

// TestRegisteredEncodings: what was registered has the encodings of the bindings, whatever class it
// stands in.
func TestRegisteredEncodings(t *testing.T) {
	rt := newRuntime(t)
	seen := 0
	for _, name := range rt.Classes() {
		k := rt.Class(name)
		if k.Framework != metal.FrameworkName {
			continue
		}
		for _, m := range k.OwnMethods() {
			seen++
			c := &adapter.Class{Name: name, Protocols: k.Protocols()}
			if k.Super != nil {
				c.Super = k.Super.Name
			}
			enc, err := metal.Tables.Encoding(rt, c, m.Selector, m.ClassMethod)
			assert.NoError(t, err)
			assert.Equal(t, enc, m.Encoding, "%s %s", name, m.Selector)
		}
	}
	assert.NotZero(t, seen)
}

// TestRefusedClasses: what no binding could reach, or what contradicts itself, is an error that
// names it.
func TestRefusedClasses(t *testing.T) {
	nothing := func(*objcsoft.Call) {}
	for want, list := range map[string][]adapter.Class{
		"-[PMSoftThing lenght]: no binding sends": {{Name: "PMSoftThing", Protocols: []string{"MTLBuffer"},
			Methods: adapter.Methods{"lenght": nothing}}},
		"-[PMSoftThing length]: no binding sends": {{Name: "PMSoftThing", Protocols: []string{"MTLTexture"},
			Methods: adapter.Methods{"length": nothing}}},
		"+[PMSoftThing length]: no binding sends": {{Name: "PMSoftThing", Protocols: []string{"MTLBuffer"},
			ClassMethods: adapter.Methods{"length": nothing}}},
		"has the method length twice": {{Name: "PMSoftThing", Methods: adapter.Methods{"length": nothing}},
			{Name: "PMSoftThing", Methods: adapter.Methods{"length": nothing}}},
		"has the superclasses A and B": {{Name: "PMSoftThing", Super: "A"}, {Name: "PMSoftThing", Super: "B"}},
		"has its properties or hooks twice": {{Name: "PMSoftThing", Alloc: func(*objcsoft.Object) {}},
			{Name: "PMSoftThing", Alloc: func(*objcsoft.Object) {}}},
		"is above itself":    {{Name: "A", Super: "B"}, {Name: "B", Super: "A"}},
		"superclass Nowhere": {{Name: "PMSoftThing", Super: "Nowhere"}},
		"-[MTLHeapDescriptor sise]: no binding": {{Name: "MTLHeapDescriptor",
			Properties: adapter.Properties{{Name: "sise"}}}},
		"protocol NSNowhere": {{Name: "PMSoftThing", Protocols: []string{"NSNowhere"}}},
	} {
		rt := objcsoft.New()
		in, err := newInstallation(rt)
		require.NoError(t, err)
		assert.ErrorContains(t, in.register(append(list, device.Classes()...)), want)
	}
	rt := objcsoft.New()
	in, err := newInstallation(rt)
	require.NoError(t, err)
	assert.ErrorContains(t, in.register(nil), "class PMSoftDevice")
}

func TestFunctions(t *testing.T) {
	t.Setenv("PUREMETAL_SOFTWARE_DEVICES", "2")
	rt := newRuntime(t)
	var ret [1]uintptr
	require.NoError(t, rt.Function("MTLCreateSystemDefaultDevice").Call(nil, ret[:]))
	first := objcsoft.ID(ret[0])
	require.NoError(t, rt.Function("MTLCopyAllDevices").Call(nil, ret[:]))
	all, err := rt.ArrayItems(objcsoft.ID(ret[0]))
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, first, all[0])
	require.NoError(t, rt.Release(objcsoft.ID(ret[0])))
	assert.Zero(t, rt.LiveTotal())

	t.Setenv("PUREMETAL_SOFTWARE_DEVICES", "0")
	rt = newRuntime(t)
	require.NoError(t, rt.Function("MTLCreateSystemDefaultDevice").Call(nil, ret[:]))
	assert.Zero(t, ret[0], "no device")

	t.Setenv("PUREMETAL_SOFTWARE_DEVICES", "many")
	rt = objcsoft.New()
	require.NoError(t, Register(rt))
	assert.ErrorContains(t, rt.LoadFramework(metal.FrameworkName), `PUREMETAL_SOFTWARE_DEVICES="many"`)
}
