package tensor

import "context"

// MeasurePeakOf measures a peak with square matrices of a size and a copy of elements.
func MeasurePeakOf(ctx context.Context, e *Engine, size, elements int) (Peak, error) {
	return e.measurePeak(ctx, size, elements)
}
