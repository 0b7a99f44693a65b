//go:build !((darwin || linux) && (amd64 || arm64))

package objc

import (
	"fmt"
	"runtime"

	"github.com/puremetal/puremetal/internal/typeenc"
)

// Apple's driver does not exist on this platform. openApple fails, so the methods below are never
// called.

type appleRuntime struct{}

type appleBinding struct{ fn uintptr }

type applePool struct{}

func openApple() (*appleRuntime, error) {
	return nil, fmt.Errorf("objc: Apple's driver needs macOS on amd64 or arm64, this is %s/%s: %w", runtime.GOOS,
		runtime.GOARCH, ErrDriver)
}

func (*appleRuntime) hasMetalDevice() bool { return false }

func (*appleRuntime) bind(*Method, *typeenc.Signature) (appleBinding, error) {
	return appleBinding{}, ErrDriver
}
func (*appleBinding) send(*Method, uintptr, ID, []uintptr, []uintptr) error { return ErrDriver }
func (*appleBinding) responds(ID) (bool, error)                             { return false, ErrDriver }

func (*appleRuntime) pushPool() applePool                 { return applePool{} }
func (*appleRuntime) popPool(*applePool)                  {}
func (*appleRuntime) retainObject(ID) error               { return ErrDriver }
func (*appleRuntime) releaseObject(ID) error              { return ErrDriver }
func (*appleRuntime) autoreleaseObject(ID) error          { return ErrDriver }
func (*appleRuntime) liveObjects() int                    { return 0 }
func (*appleRuntime) leaks() []Leak                       { return nil }
func (*appleRuntime) ownedRefs(ID) int                    { return 0 }
func (*appleRuntime) borrow(uintptr) (ID, error)          { return 0, ErrDriver }
func (*appleRuntime) class(string) (ID, bool)             { return 0, false }
func (*appleRuntime) protocol(string) (ID, bool)          { return 0, false }
func (*appleRuntime) address(ID) (uintptr, error)         { return 0, ErrDriver }
func (*appleRuntime) alive(ID) error                      { return ErrDriver }
func (*appleRuntime) classOfObject(ID) (ID, error)        { return 0, ErrDriver }
func (*appleRuntime) classNameOf(ID) string               { return "" }
func (*appleRuntime) superclassOf(ID) ID                  { return 0 }
func (*appleRuntime) classResponds(ID, string) bool       { return false }
func (*appleRuntime) selector(string) (uintptr, error)    { return 0, ErrDriver }
func (*appleRuntime) implementation(ID, *binding) uintptr { return 0 }
func (*appleRuntime) framework(string) (uintptr, error)   { return 0, ErrDriver }
func (*appleRuntime) constant(*Constant) (ID, bool)       { return 0, false }
func (*appleRuntime) dispatchData([]byte) (ID, error)     { return 0, ErrDriver }
func (*appleRuntime) newBlock(string, func([]uintptr) uintptr) (ID, error) {
	return 0, ErrDriver
}
func (*appleRuntime) callBlock(ID, string, []uintptr) (uintptr, error) { return 0, ErrDriver }
func (*appleRuntime) bindFunction(*Function, *typeenc.Signature) (func(args, ret []uintptr) error, error) {
	return nil, ErrDriver
}

func (*appleRuntime) registerClass(*GoClass, ClassSpec, []*goMethod) error { return ErrDriver }
