package softmps

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// random is the payload of an MPSMatrixRandom. Which number of the generator an element gets is not
// documented: here the elements get them in row-major order, matrix after matrix, and each encoding
// goes on where the one before ended.
type random struct {
	Kernel
	dataType     uint64
	distribution uint64
	numbers      tensorop.Random
	philox       [tensorop.RandomState]uint32 // the state, of MPSMatrixRandomPhilox
	twister      *NDArray                     // the state, of MPSMatrixRandomMTGP32
}

// numbersOf returns what a descriptor of a distribution asks for; without one it is the default.
func numbersOf(r *adapter.Record, dataType uint64) (distribution uint64, out tensorop.Random, err error) {
	float := func(name string) float64 { return float64(math.Float32frombits(uint32(r.Word(name)))) }
	distribution = mpsdata.MatrixRandomDistributionDefault
	if r != nil {
		distribution = r.Uint("distributionType")
	}
	if dataType != mpsdata.DataTypeUInt32 && dataType != mpsdata.DataTypeFloat32 {
		return 0, out, fmt.Errorf("random numbers of MPSDataType %#x; they are uint32 or float32", dataType)
	}
	single := dataType == mpsdata.DataTypeFloat32
	switch {
	case distribution == mpsdata.MatrixRandomDistributionDefault && single:
		out = tensorop.Random{Kind: tensorop.RandomUniform, High: 1}
	case distribution == mpsdata.MatrixRandomDistributionDefault:
		out = tensorop.Random{Kind: tensorop.RandomBits}
	case !single:
		err = fmt.Errorf("a distribution of type %d of uint32; only the default, 1, has integers", distribution)
	case distribution == mpsdata.MatrixRandomDistributionUniform:
		out = tensorop.Random{Kind: tensorop.RandomUniform, Low: float("minimum"), High: float("maximum")}
	case distribution == mpsdata.MatrixRandomDistributionNormal:
		out = tensorop.Random{Kind: tensorop.RandomTruncatedNormal, Low: float("minimum"), High: float("maximum"),
			Mean: float("mean"), Deviation: float("standardDeviation")}
		if math.IsInf(out.Low, -1) && math.IsInf(out.High, 1) {
			out.Kind = tensorop.RandomNormal
		}
	default:
		err = fmt.Errorf("there is no distribution of type %d", distribution)
	}
	return distribution, out, err
}

// initRandom gives the receiver of an init method its generator: the arguments after the device are
// the type, the seed and a descriptor, as far as there are any.
func initRandom(c *objcsoft.Call, arguments int, seeded func(k *random, c *objcsoft.Call, seed uint64) error) {
	k := &random{dataType: mpsdata.DataTypeUInt32}
	var seed uint64
	var descriptor *adapter.Record
	if arguments > 1 {
		k.dataType, seed = c.Uint(1), c.Uint(2)
	}
	if arguments > 3 {
		if descriptor = adapter.RecordArg(c, 3, "the distribution descriptor"); descriptor == nil {
			return
		}
	}
	var err error
	if k.distribution, k.numbers, err = numbersOf(descriptor, k.dataType); err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	if initKernel(c, k); c.Failed() {
		return
	}
	if err := seeded(k, c, seed); err != nil {
		c.Fail(err)
	}
}

func (k *random) encode(c *objcsoft.Call) {
	cb, ok := CommandBufferArg(c, 0)
	result, ok1 := matrixArg(c, 1)
	if !ok || !ok1 {
		return
	}
	if result.dataType != k.dataType {
		adapter.Misuse(c, "a destination of MPSDataType %#x; the kernel makes %#x", result.dataType, k.dataType)
		return
	}
	start, count := k.batch(result)
	out, err := result.window("the destination", origin{}, start, count, result.rows, result.columns)
	if err == nil && count < 1 {
		err = fmt.Errorf("no matrices from %d on; the destination has %d", start, result.matrices)
	}
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	if k.twister != nil {
		Encode(c, k.Device, cb, nil, []*NDArray{out, k.twister}, func(b *tensorop.Builder, _,
			out []tensorop.Operand) {
			words := b.Temp(tensorop.Uint32, tensorop.RandomWords(out[0].Elements()))
			twist(b, words, out[1])
			b.RandomFrom(out[0], words, k.numbers)
		})
		return
	}
	state, err := newNDArray(k.Device, tensorop.Dense(tensorop.Uint32, tensorop.RandomState))
	if err != nil {
		c.Fail(err)
		return
	}
	defer state.release()
	if err := state.setWords(k.philox[:]); err != nil {
		c.Fail(err)
		return
	}
	Encode(c, k.Device, cb, []*NDArray{state}, []*NDArray{out}, func(b *tensorop.Builder, in, out []tensorop.Operand) {
		b.Random(out[0], in[0], k.numbers)
	})
	if !c.Failed() {
		k.advance(uint64(out.Elements()+3) / 4)
	}
}

// advance adds to the counter of the Philox state, which has 128 bits.
func (k *random) advance(blocks uint64) {
	low := uint64(k.philox[0]) | uint64(k.philox[1])<<32
	sum := low + blocks
	k.philox[0], k.philox[1] = uint32(sum), uint32(sum>>32)
	if sum < low {
		if k.philox[2]++; k.philox[2] == 0 {
			k.philox[3]++
		}
	}
}

// release gives up an array that is not an object.
func (a *NDArray) release() {
	a.Buffer.Release()
	a.Device.Release()
}

// setWords sets the first elements of an array of 32-bit words.
func (a *NDArray) setWords(words []uint32) error {
	b, err := a.Bytes()
	if err != nil {
		return err
	}
	for i, w := range words {
		binary.LittleEndian.PutUint32(b[4*i:], w)
	}
	return nil
}

// The Mersenne twister for graphics processors: M. Saito, "A Variant of Mersenne Twister Suitable
// for Graphic Processors", arXiv:1005.4973. Apple's documentation names the paper and the period,
// 2^11213-1, but not the parameters nor how the streams are laid out over threads. This is the
// paper's generator of that period with the parameters that are published as number 1, as one
// stream.
const (
	twisterWords = 351 // of the state
	twisterPick  = 84  // where the second word comes from
	twisterGroup = 256 // words that do not depend on each other
	twisterText  = `#include <metal_stdlib>
using namespace metal;
struct P { int count, words, state; };
constant uint recursion[16] = {0x00000000, 0x71588353, 0xdfa887c1, 0xaef00492, 0x4ba66c6e, 0x3afeef3d, 0x940eebaf,
    0xe55668fc, 0xa53da0ae, 0xd46523fd, 0x7a95276f, 0x0bcda43c, 0xee9bccc0, 0x9fc34f93, 0x31334b01, 0x406bc852};
constant uint tempering[16] = {0x00000000, 0x200040bb, 0x1082c61e, 0x308286a5, 0x10021c03, 0x30025cb8, 0x0080da1d,
    0x20809aa6, 0x0003f0b9, 0x2003b002, 0x108136a7, 0x3081761c, 0x1001ecba, 0x3001ac01, 0x00832aa4, 0x20836a1f};
kernel void twist(device uint *out [[buffer(0)]], device uint *state [[buffer(1)]], constant P &p [[buffer(2)]],
                  uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[1024];
    out += p.words;
    state += p.state;
    for (uint i = t; i < 351; i += 256) s[i] = state[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint first = 0; first < uint(p.count); first += 256) {
        uint i = first + t;
        if (i < uint(p.count)) {
            uint x = (s[i & 1023] & 0xfff80000) ^ s[(i + 1) & 1023];
            x ^= x << 12;
            uint y = x ^ (s[(i + 84) & 1023] >> 4);
            uint next = y ^ recursion[y & 15];
            s[(i + 351) & 1023] = next;
            uint m = s[(i + 83) & 1023];
            m ^= m >> 16;
            m ^= m >> 8;
            out[i] = next ^ tempering[m & 15];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (uint i = t; i < 351; i += 256) state[i] = s[(i + uint(p.count)) & 1023];
}
`
)

// twist writes the next words of a generator, and its state after them.
func twist(b *tensorop.Builder, words, state tensorop.Operand) {
	var w tensorop.Words
	w.Int(words.Elements(), words.Offset, state.Offset)
	one := [3]int{twisterGroup, 1, 1}
	b.Launch(twisterText, "twist", one, one, []tensorop.Operand{words, state}, w)
}

// seedTwister sets the state that the paper's program derives from a seed, of which it takes 32
// bits.
func (k *random) seedTwister(_ *objcsoft.Call, seed uint64) error {
	const hidden = 0x4ba66c6e ^ 0xa53da0ae<<16&math.MaxUint32 // of two words of the recursion's table
	sum := uint32(hidden)
	sum += sum >> 16
	sum += sum >> 8
	state := make([]uint32, twisterWords)
	for i := range state {
		state[i] = sum & 0xff * 0x01010101
	}
	state[0], state[1] = uint32(seed), hidden
	for i := 1; i < len(state); i++ {
		state[i] ^= 1812433253*(state[i-1]^state[i-1]>>30) + uint32(i)
	}
	a, err := newNDArray(k.Device, tensorop.Dense(tensorop.Uint32, twisterWords))
	if err != nil {
		return err
	}
	k.twister = a
	return a.setWords(state)
}

func randomClasses() []adapter.Class {
	single := func(v float64) uintptr { return uintptr(math.Float32bits(float32(v))) }
	// made makes a descriptor and sets its properties to the arguments and to constants.
	made := func(kind uint64, arguments []string, more map[string]uintptr) objcsoft.Imp {
		return func(c *objcsoft.Call) {
			id := adapter.NewInstance(c.RT, "MPSMatrixRandomDistributionDescriptor")
			r, _ := adapter.PayloadOf[*adapter.Record](c.RT, id)
			r.SetUint("distributionType", kind)
			for i, name := range arguments {
				r.SetUint(name, uint64(uint32(c.Word(i))))
			}
			for name, v := range more {
				r.SetUint(name, uint64(v))
			}
			c.ReturnAutoreleased(id)
		}
	}
	class := func(name string, seeded func(k *random, c *objcsoft.Call, seed uint64) error) adapter.Class {
		with := func(n int) objcsoft.Imp { return func(c *objcsoft.Call) { initRandom(c, n, seeded) } }
		return adapter.Class{Name: name, Super: "MPSMatrixRandom", Methods: adapter.Methods{
			"initWithDevice:":                                                 with(1),
			"initWithDevice:destinationDataType:seed:":                        with(3),
			"initWithDevice:destinationDataType:seed:distributionDescriptor:": with(4),
		}}
	}
	number := func(get func(k *random) uint64) objcsoft.Imp {
		return adapter.Method(func(k *random, c *objcsoft.Call) { c.ReturnUint(get(k)) })
	}
	twister := class("MPSMatrixRandomMTGP32", (*random).seedTwister)
	twister.Methods["synchronizeStateOnCommandBuffer:"] = func(*objcsoft.Call) {} // the memory is shared
	infinite := map[string]uintptr{"minimum": single(math.Inf(-1)), "maximum": single(math.Inf(1))}
	return []adapter.Class{
		{Name: "MPSMatrixRandomDistributionDescriptor", Protocols: []string{"NSCopying"},
			Properties: adapter.Properties{
				{Name: "distributionType", Value: mpsdata.MatrixRandomDistributionDefault},
				{Name: "minimum"}, {Name: "maximum", Value: single(1)}, {Name: "mean"},
				{Name: "standardDeviation", Value: single(1)},
			},
			ClassMethods: adapter.Methods{
				"defaultDistributionDescriptor": made(mpsdata.MatrixRandomDistributionDefault, nil, nil),
				"uniformDistributionDescriptorWithMinimum:maximum:": made(mpsdata.MatrixRandomDistributionUniform,
					[]string{"minimum", "maximum"}, nil),
				"normalDistributionDescriptorWithMean:standardDeviation:": made(mpsdata.MatrixRandomDistributionNormal,
					[]string{"mean", "standardDeviation"}, infinite),
				"normalDistributionDescriptorWithMean:standardDeviation:minimum:maximum:": made(
					mpsdata.MatrixRandomDistributionNormal, []string{"mean", "standardDeviation", "minimum", "maximum"},
					nil),
			}},
		withProperties(adapter.Class{Name: "MPSMatrixRandom", Super: "MPSKernel", Methods: adapter.Methods{
			"destinationDataType":                      number(func(k *random) uint64 { return k.dataType }),
			"distributionType":                         number(func(k *random) uint64 { return k.distribution }),
			"encodeToCommandBuffer:destinationMatrix:": adapter.Method((*random).encode),
			"encodeToCommandBuffer:destinationVector:": adapter.Method((*random).encode),
		}, Dealloc: adapter.DeallocHook(func(k *random, _ *objcsoft.Object) {
			if k.twister != nil {
				k.twister.release()
			}
		})}, map[string]uintptr{"batchSize": unlimited}),
		class("MPSMatrixRandomPhilox", func(k *random, _ *objcsoft.Call, seed uint64) error {
			k.philox = tensorop.State(seed)
			return nil
		}), twister,
	}
}
