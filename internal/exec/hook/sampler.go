package hook

// Sampler is a Hook that observes some threadgroups only. The others run optimized, at full speed,
// and have no events.
type Sampler interface {
	Hook
	// Wants reports whether the threadgroup at a position of the grid is to be observed. Workers call
	// it concurrently.
	Wants(position [3]int) bool
}
