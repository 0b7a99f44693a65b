package mtl

import (
	"slices"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/require"
)

// Objects of the software runtime that respond to every bound method of some classes with
// properties set by a test, new objects, or zeros. They replace objects that no device provides.

// fake is the state of such an object.
type fake struct {
	mu    sync.Mutex
	props map[string][]uintptr // answers by selector
	makes map[string]string    // class of the object that a selector makes
	sent  []string             // selectors received, without those of props
}

var fakeClasses struct {
	sync.Mutex
	done map[string]bool
}

// newFake returns an object, +1 and released at the end of the test, of a class that responds to
// the methods of the given classes. With Apple's driver the test is skipped.
func newFake(t *testing.T, classes ...string) (objc.ID, *fake) {
	t.Helper()
	rt, err := objc.SoftwareRuntime()
	if err != nil {
		t.Skipf("runs on the software runtime: %v", err)
	}
	f := &fake{props: map[string][]uintptr{}, makes: map[string]string{}}
	id := objc.ID(rt.NewObject(fakeClass(t, rt, classes...), f))
	t.Cleanup(func() { objc.Release(id) })
	return id, f
}

func fakeClass(t *testing.T, rt *objcsoft.Runtime, classes ...string) *objcsoft.Class {
	t.Helper()
	fakeClasses.Lock()
	defer fakeClasses.Unlock()
	name := "Fake" + classes[0]
	if !fakeClasses.done[name] {
		spec := objcsoft.ClassSpec{Name: name, Framework: "Metal"}
		seen := map[string]bool{}
		for i := range zmethods {
			if m := &zmethods[i]; !m.IsClassMethod && slices.Contains(classes, m.Class) && !seen[m.Selector] {
				seen[m.Selector] = true
				spec.Methods = append(spec.Methods, objcsoft.MethodSpec{Sel: m.Selector, Enc: m.Encoding, Imp: fakeMethod(m)})
			}
		}
		_, err := rt.Register(spec)
		require.NoError(t, err)
		if fakeClasses.done == nil {
			fakeClasses.done = map[string]bool{}
		}
		fakeClasses.done[name] = true
	}
	return rt.Class(name)
}

func fakeMethod(m *objc.Method) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		f := c.Self.Payload.(*fake)
		f.mu.Lock()
		defer f.mu.Unlock()
		if w, ok := f.props[m.Selector]; ok {
			c.ReturnWords(w...)
			return
		}
		f.sent = append(f.sent, m.Selector)
		if class, ok := f.makes[m.Selector]; ok {
			id := c.RT.NewObject(c.RT.Class("Fake"+class), &fake{props: map[string][]uintptr{}, makes: map[string]string{}})
			if m.Retained {
				c.ReturnID(id)
			} else {
				c.ReturnAutoreleased(id)
			}
		}
	}
}

// last returns the selector received last.
func (f *fake) last() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.sent) == 0 {
		return ""
	}
	return f.sent[len(f.sent)-1]
}

// count returns how many messages have arrived.
func (f *fake) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.sent)
}

// word sets the value of a property.
func (f *fake) word(selector string, words ...uintptr) { f.props[selector] = words }

// fakeDevice returns a device that has the limits of Apple's.
func fakeDevice(t *testing.T) (Device, *fake) {
	t.Helper()
	id, f := newFake(t, "MTLDevice")
	f.word("registryID", 0xfa4e)
	f.word("maxThreadsPerThreadgroup", 1024, 1024, 1024)
	f.word("maxThreadgroupMemoryLength", 32768)
	f.word("supportsFamily:", 1)
	f.word("supportsCounterSampling:", 0)
	f.word("sparseTileSizeWithTextureType:pixelFormat:sampleCount:", 8, 8, 1)
	f.word("accelerationStructureSizesWithDescriptor:", 1000, 200, 100)
	return DeviceFrom(id), f
}

// fakeBuffer returns a buffer of n bytes.
func fakeBuffer(t *testing.T, d Device, n uint) Buffer {
	t.Helper()
	id, f := newFake(t, "MTLBuffer", "MTLResource", "MTLAllocation")
	f.word("length", uintptr(n))
	f.word("device", d.Word())
	return BufferFrom(id)
}

// fakeTexture returns a texture.
func fakeTexture(t *testing.T, d Device, s textureShape) (Texture, *fake) {
	t.Helper()
	id, f := newFake(t, "MTLTexture", "MTLResource", "MTLAllocation")
	for selector, v := range map[string]uint{
		"textureType": uint(s.typ), "pixelFormat": uint(s.format), "width": s.width, "height": s.height, "depth": s.depth,
		"mipmapLevelCount": s.levels, "sampleCount": s.samples, "arrayLength": s.arrayLength, "usage": uint(s.usage),
		"storageMode": uint(s.options.StorageMode()),
	} {
		f.word(selector, uintptr(v))
	}
	f.word("device", d.Word())
	return TextureFrom(id), f
}

// fakeStructure returns an acceleration structure of n bytes.
func fakeStructure(t *testing.T, d Device, n uint) AccelerationStructure {
	t.Helper()
	id, f := newFake(t, "MTLAccelerationStructure", "MTLResource", "MTLAllocation")
	f.word("size", uintptr(n))
	f.word("device", d.Word())
	return AccelerationStructureFrom(id)
}

// fakeObject returns the handle of an object of which nothing is asked.
func fakeObject(t *testing.T, classes ...string) objc.ID {
	t.Helper()
	id, _ := newFake(t, classes...)
	return id
}
