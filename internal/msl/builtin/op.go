package builtin

// Op is the operation of a library function, for lowering.
type Op uint16

// String returns the name of the operation in stdlib.def: "Fma".
func (o Op) String() string {
	if int(o) >= len(zops) {
		return "Op(?)"
	}
	return zops[o].name
}

// Doc returns a one-line description of the operation.
func (o Op) Doc() string {
	if int(o) >= len(zops) {
		return ""
	}
	return zops[o].doc
}

// NumOps returns the number of operations, including OpInvalid.
func NumOps() int { return len(zops) }

type opInfo struct{ name, doc string }
