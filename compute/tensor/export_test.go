package tensor

import "context"

// MeasurePeakOf measures a peak with square matrices of a size and a copy of elements.
func MeasurePeakOf(ctx context.Context, e *Engine, size, elements int) (Peak, error) {
	return e.measurePeak(ctx, size, elements)
}

// CalibrateUpTo is Calibrate for operations of up to a number of FLOPs.
func CalibrateUpTo(ctx context.Context, e *Engine, flops float64) error {
	if err := e.calibrate(ctx, flops); err != nil {
		return err
	}
	return e.saveCrossover()
}

// Forget forgets the scope's error.
func Forget(s *Scope) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = nil
}
