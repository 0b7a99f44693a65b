package small

import "math"

type Mode uint

const (
	ModeFast  Mode = 0
	ModeSlow  Mode = 1
	ModeOther Mode = math.MaxUint
)

type Unknown int

const UnknownA Unknown = -1
