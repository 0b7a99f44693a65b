package builtin

// Op says what a library function does, for lowering.
type Op uint16

// String returns the operation's name in stdlib.def: "Fma".
func (o Op) String() string {
	if int(o) >= len(zops) {
		return "Op(?)"
	}
	return zops[o].name
}

// Doc returns the operation's meaning in one line.
func (o Op) Doc() string {
	if int(o) >= len(zops) {
		return ""
	}
	return zops[o].doc
}

// NumOps returns the number of operations, OpInvalid included.
func NumOps() int { return len(zops) }

type opInfo struct{ name, doc string }
