package small

import "github.com/progrium/darwinkit/objc"

type _PlanClass struct {
	objc.Class
}

type IPlan interface {
	Steps() []EngineObject
}

type Plan struct {
	objc.Object
}

func (pc _PlanClass) New() Plan {
	rv := objc.Call[Plan](pc, objc.Sel("new"))
	return rv
}

func (pc _PlanClass) SharedPlan() Plan {
	rv := objc.Call[Plan](pc, objc.Sel("sharedPlan"))
	return rv
}

func (p_ Plan) Steps() []EngineObject {
	rv := objc.Call[[]EngineObject](p_, objc.Sel("steps"))
	return rv
}

func (p_ Plan) SetSteps(value []PEngine) {
	objc.Call[objc.Void](p_, objc.Sel("setSteps:"), value)
}
