package model

import (
	"context"
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/compute/tensor"
)

// ReadTensor unpacks a tensor of a GGUF or safetensors file on the device. It calls write with the
// tensor's shape, outermost dimension first, and its elements as float32, some millions at a time
// and in order, so that little memory is needed. The elements are write's only during the call.
func ReadTensor(ctx context.Context, engine *tensor.Engine, file, name string,
	write func(shape []int, elements []float32) error) error {
	kind, err := KindOf(file)
	if err != nil {
		return err
	}
	src, err := openFile(kind, file, Config{})
	if err != nil {
		return err
	}
	x, ok := src.find(name)
	if ok {
		err = src.unpack(ctx, engine, x, func(elements []float32) error { return write(x.shape, elements) })
	} else {
		err = fmt.Errorf("%s: tensor %q is missing: %w", file, name, ErrTensor)
	}
	return errors.Join(err, engine.Sync(ctx), src.close.Close())
}

// pieceElements is how many elements are unpacked at once: a multiple of every format's block.
const pieceElements = 4 << 20

// unpack unpacks a tensor and calls write with its elements, piece by piece.
func (src *source) unpack(ctx context.Context, engine *tensor.Engine, x stored,
	write func(elements []float32) error) error {
	n := x.elements()
	block, bytes := x.format.Block()
	if x.format == 0 || x.format == tensor.I2_S || n == 0 {
		block, bytes = max(n, 1), len(x.bytes) // its scale is for all elements
	}
	for from := 0; from < n || from == 0; from += max(pieceElements, block) {
		to := min(from+max(pieceElements, block), n)
		part := x
		part.pages = nil // a piece is copied
		part.bytes = x.bytes[from/block*bytes : to/block*bytes]
		part.shape = []int{to - from}
		data, err := src.piece(ctx, engine, part)
		if err == nil {
			err = write(data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// piece unpacks elements.
func (src *source) piece(ctx context.Context, engine *tensor.Engine, x stored) ([]float32, error) {
	s := engine.Scope(ctx)
	defer s.Close()
	l := &loader{source: src, s: s, ctx: ctx}
	t := l.floats(x)
	if l.err != nil {
		return nil, l.err
	}
	data, err := tensor.Data[float32](ctx, t)
	if err != nil {
		err = fmt.Errorf("%s: tensor %q: %w", src.name, x.name, err)
	}
	return data, err
}
