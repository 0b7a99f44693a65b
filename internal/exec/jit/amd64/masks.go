package amd64

// SetsMask returns the mask register that the instruction changes; ok is false if it changes none.
func (op Op) SetsMask(x Args) (k uint8, ok bool) {
	if op >= opCount {
		return 0, false
	}
	if rows[op].args[0] == inD|mask {
		return x.D, true
	}
	return uint8(x.K), x.Y.kind == inMemoryVector && x.K != 0 // gathers and scatters clear theirs
}
