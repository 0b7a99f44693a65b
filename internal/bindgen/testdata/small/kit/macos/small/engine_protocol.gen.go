package small

import (
	"unsafe"

	"github.com/progrium/darwinkit/objc"
)

type PEngine interface {
	Label() string
	HasLabel() bool
}

type EngineObject struct {
	objc.Object
}

func (e_ EngineObject) HasLabel() bool {
	return e_.RespondsToSelector(objc.Sel("label"))
}

func (e_ EngineObject) Label() string {
	rv := objc.Call[string](e_, objc.Sel("label"))
	return rv
}

func (e_ EngineObject) SetLabel(value string) {
	objc.Call[objc.Void](e_, objc.Sel("setLabel:"), value)
}

func (e_ EngineObject) Mode() Mode {
	rv := objc.Call[Mode](e_, objc.Sel("mode"))
	return rv
}

func (e_ EngineObject) SetPartsWithRange(parts unsafe.Pointer, range_ foundation.Range) {
	objc.Call[objc.Void](e_, objc.Sel("setParts:withRange:"), parts, range_)
}

func (e_ EngineObject) StartWithPlanError(plan IPlan, error unsafe.Pointer) bool {
	rv := objc.Call[bool](e_, objc.Sel("startWithPlan:error:"), plan, error)
	return rv
}

func (e_ EngineObject) PowerLevel() uint {
	rv := objc.Call[uint](e_, objc.Sel("powerLevel"))
	return rv
}

func (e_ EngineObject) Extra() uint {
	rv := objc.Call[uint](e_, objc.Sel("extra"))
	return rv
}
