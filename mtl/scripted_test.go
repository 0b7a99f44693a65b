package mtl

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/require"
)

// scripted is an object of the software driver that replies to Metal's messages as a test
// specifies. It replaces objects that no available device provides. Messages without a scripted
// reply return zero.
type scripted struct {
	objc.Object
	mu      sync.Mutex
	answers map[string][]uintptr
	sent    map[string][]uintptr                         // argument words of the last message, by selector
	compute func(c *objcsoft.Call, selector string) bool // answers what depends on the arguments
}

// answer is a script's entry for a result of one word.
func answer(words ...uintptr) []uintptr { return words }

// scriptedAncestors are the protocols whose methods a protocol has too.
var scriptedAncestors = map[string][]string{
	"MTLBuffer": {"MTLResource", "MTLAllocation"}, "MTLTexture": {"MTLResource", "MTLAllocation"},
	"MTLTensor": {"MTLResource", "MTLAllocation"},
	"MTLHeap":   {"MTLAllocation"}, "MTLBufferBinding": {"MTLBinding"},
}

// newScripted returns an object that acts as an instance of a class or protocol, released at the
// end of the test.
func newScripted(t *testing.T, class string, answers map[string][]uintptr) *scripted {
	t.Helper()
	if d, err := objc.CurrentDriver(); err != nil || d != objc.DriverSoftware {
		t.Skipf("scripted objects live in the software driver; in use is %v (%v)", d, err)
	}
	rt, err := objc.SoftwareRuntime()
	require.NoError(t, err)
	name := "Scripted" + class
	if rt.Class(name) == nil {
		spec := objcsoft.ClassSpec{Name: name}
		seen := map[string]bool{}
		for _, of := range append([]string{class}, scriptedAncestors[class]...) {
			for i := range zmethods {
				m := &zmethods[i]
				if m.Class != of || m.IsClassMethod || seen[m.Selector] {
					continue
				}
				seen[m.Selector] = true
				spec.Methods = append(spec.Methods,
					objcsoft.MethodSpec{Sel: m.Selector, Enc: m.Encoding, Imp: func(c *objcsoft.Call) {
						c.Self.Payload.(*scripted).receive(c, m)
					}})
			}
		}
		require.NotEmpty(t, spec.Methods, class)
		_, err := rt.Register(spec)
		require.NoError(t, err)
	}
	s := &scripted{answers: map[string][]uintptr{}, sent: map[string][]uintptr{}}
	maps.Copy(s.answers, answers)
	s.Object = objc.ObjectFrom(objc.ID(rt.NewObject(rt.Class(name), s)))
	t.Cleanup(s.Release)
	return s
}

// receive records a message and replies to it.
func (s *scripted) receive(c *objcsoft.Call, m *objc.Method) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent[m.Selector] = slices.Clone(c.Args)
	words := s.answers[m.Selector]
	if s.compute != nil && s.compute(c, m.Selector) || len(words) == 0 {
		return
	}
	if m.Retained && words[0] != 0 {
		c.ReturnRetained(objcsoft.ID(words[0]))
		return
	}
	c.ReturnWords(words...)
}

// reply changes the reply to a selector.
func (s *scripted) reply(selector string, words ...uintptr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[selector] = words
}

// took returns, and forgets, the argument words of the last message with a selector, or nil if
// there was none.
func (s *scripted) took(selector string) []uintptr {
	s.mu.Lock()
	defer s.mu.Unlock()
	args := s.sent[selector]
	delete(s.sent, selector)
	return args
}

// appleGPU is a script of a device with the properties that checks ask for.
func appleGPU() map[string][]uintptr {
	return map[string][]uintptr{
		"supportsFamily:": answer(1), "hasUnifiedMemory": answer(1), "maxBufferLength": answer(1 << 30),
		"supportsTextureSampleCount:":                    answer(1),
		"minimumLinearTextureAlignmentForPixelFormat:":   answer(256),
		"minimumTextureBufferAlignmentForPixelFormat:":   answer(32),
		"heapTextureSizeAndAlignWithDescriptor:":         answer(4096, 256),
		"heapBufferSizeAndAlignWithLength:options:":      answer(512, 256),
		"heapAccelerationStructureSizeAndAlignWithSize:": answer(512, 256), "supportsRaytracing": answer(1),
		"registryID": answer(7),
		"heapAccelerationStructureSizeAndAlignWithDescriptor:": answer(512, 256),
	}
}

// plainTexture is a script of a descriptor or texture of 64 by 32 RGBA8 pixels in shared memory.
func plainTexture() map[string][]uintptr {
	return map[string][]uintptr{
		"textureType": answer(uintptr(TextureType2D)), "pixelFormat": answer(uintptr(PixelFormatRGBA8Unorm)),
		"width": answer(64), "height": answer(32),
		"depth": answer(1), "mipmapLevelCount": answer(1), "sampleCount": answer(1), "arrayLength": answer(1),
		"usage": answer(uintptr(TextureUsageShaderRead)),
	}
}
