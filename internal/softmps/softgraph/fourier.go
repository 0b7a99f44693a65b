package softgraph

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// partType returns the type of the parts of a complex type, and complexType the reverse.
func partType(t tensorop.Type) (tensorop.Type, error) {
	switch t {
	case tensorop.Complex64:
		return tensorop.Float32, nil
	case tensorop.Complex32:
		return tensorop.Float16, nil
	}
	return 0, fmt.Errorf("%v is not a complex type", t)
}

func complexType(t tensorop.Type) (tensorop.Type, error) {
	switch t {
	case tensorop.Float32:
		return tensorop.Complex64, nil
	case tensorop.Float16:
		return tensorop.Complex32, nil
	}
	return 0, fmt.Errorf("%v is not the type of a complex number's parts", t)
}

// partView returns the real parts (0) or the imaginary parts (1) of complex numbers.
func partView(v tensorop.View, part int) tensorop.View {
	t, _ := partType(v.Type)
	out := tensorop.View{Type: t, Shape: v.Shape, Strides: slices.Clone(v.Strides), Offset: 2*v.Offset + part}
	for d := range out.Strides {
		out.Strides[d] *= 2
	}
	return out
}

// part returns the real or the imaginary part.
func (g *graph) complexPart(t *tensor, part int, name string) (*tensor, error) {
	return g.add1("partOfComplex", name, def{
		infer: func(in []spec) ([]spec, error) {
			typ, err := partType(in[0].typ)
			return []spec{{typ, in[0].shape}}, err
		},
		view: func(in tensorop.Operand, _ spec) (tensorop.View, bool) { return partView(in.View, part), true },
	}, t)
}

// complexOf makes complex numbers of their parts.
func (g *graph) complexOf(re, im *tensor, name string) (*tensor, error) {
	return g.kernelOp("complexTensor", name, func(in []spec) (spec, error) {
		if in[0].typ != in[1].typ || !slices.Equal(in[0].shape, in[1].shape) {
			return spec{}, fmt.Errorf("parts %v and %v; they must be equal", in[0], in[1])
		}
		typ, err := complexType(in[0].typ)
		return spec{typ, in[0].shape}, err
	}, func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) {
		for part := range 2 {
			b.Copy(out.With(partView(out.View, part)), in[part])
		}
	}, nil, re, im)
}

// fftArg reads a descriptor of a Fourier transform.
func (a *args) fftArg(i int, axes []int) (f tensorop.FFT, odd bool) {
	r := a.record(i)
	f = tensorop.FFT{Axes: axes, Inverse: r.Bool("inverse"), Scaling: tensorop.FFTScaling(r.Uint("scalingMode"))}
	return f, r.Bool("roundToOddHermitean")
}

// fft adds a Fourier transform: shape and typ return what it makes of an input.
func (g *graph) fft(t *tensor, f tensorop.FFT, name string, result func(in spec, f tensorop.FFT) (spec, error),
	run func(b *tensorop.Builder, out, in tensorop.Operand, f tensorop.FFT)) (*tensor, error) {
	resolved := func(s spec) (tensorop.FFT, error) {
		var err error
		out := f
		out.Axes, err = axes(&tensor{spec: s}, f.Axes)
		return out, err
	}
	return g.kernelOp("fourierTransform", name, func(in []spec) (spec, error) {
		f, err := resolved(in[0])
		if err != nil {
			return spec{}, err
		}
		return result(in[0], f)
	}, func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) {
		f, err := resolved(spec{in[0].Type, in[0].Shape})
		if err != nil {
			b.Fail(err)
			return
		}
		run(b, out, in[0], f)
	}, nil, t)
}

// fourierMethods are transforms and the parts of complex numbers.
func fourierMethods() adapter.Methods {
	m := adapter.Methods{
		"realPartOfTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.complexPart(a.tensor(0), 0, a.name(1))
		}),
		"imaginaryPartOfTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.complexPart(a.tensor(0), 1, a.name(1))
		}),
		"complexTensorWithRealTensor:imaginaryTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.complexOf(a.tensor(0), a.tensor(1), a.name(2))
		}),
		"conjugateWithTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.kernelOp("conjugate", a.name(1), func(in []spec) (spec, error) {
				_, err := partType(in[0].typ)
				return in[0], err
			}, func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) {
				b.Copy(out.With(partView(out.View, 0)), in[0].With(partView(in[0].View, 0)))
				b.Apply("neg", out.With(partView(out.View, 1)), in[0].With(partView(in[0].View, 1)))
			}, nil, a.tensor(0))
		}),
	}
	for label, get := range map[string]func(*args, int) []int{"axes": (*args).ints,
		"axesTensor": (*args).constantInts} {
		rest := "WithTensor:" + label + ":descriptor:name:"
		m["fastFourierTransform"+rest] = method(func(g *graph, a *args) (*tensor, error) {
			f, _ := a.fftArg(2, get(a, 1))
			return g.fft(a.tensor(0), f, a.name(3), func(in spec, _ tensorop.FFT) (spec, error) {
				if in.typ.Complex() {
					return in, nil
				}
				typ, err := complexType(in.typ)
				return spec{typ, in.shape}, err
			}, func(b *tensorop.Builder, out, in tensorop.Operand, f tensorop.FFT) {
				if !in.Type.Complex() {
					wide := b.Temp(tensorop.Complex64, in.Shape...)
					b.Copy(wide, in)
					in = wide
				}
				b.FFT(out, in, f)
			})
		})
		m["realToHermiteanFFT"+rest] = method(func(g *graph, a *args) (*tensor, error) {
			f, _ := a.fftArg(2, get(a, 1))
			return g.fft(a.tensor(0), f, a.name(3), func(in spec, f tensorop.FFT) (spec, error) {
				typ, err := complexType(in.typ)
				if err != nil {
					return spec{}, err
				}
				shape, err := tensorop.RealFFTShape(in.shape, f)
				return spec{typ, shape}, err
			}, (*tensorop.Builder).RealFFT)
		})
		m["HermiteanToRealFFT"+rest] = method(func(g *graph, a *args) (*tensor, error) {
			f, odd := a.fftArg(2, get(a, 1))
			return g.fft(a.tensor(0), f, a.name(3), func(in spec, f tensorop.FFT) (spec, error) {
				typ, err := partType(in.typ)
				if err != nil {
					return spec{}, err
				}
				shape, err := tensorop.FFTToRealShape(in.shape, f, odd)
				return spec{typ, shape}, err
			}, (*tensorop.Builder).FFTToReal)
		})
	}
	return m
}
