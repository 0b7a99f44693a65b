package conformance

// noCopyCases has none on Windows, where the suite has no way to map pages outside of Go's heap.
func noCopyCases() []aCase { return nil }
