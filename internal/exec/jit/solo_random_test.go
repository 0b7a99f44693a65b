package jit

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

var manySolos = flag.Int("jit.solos", 40, "how many kernels TestMachineCodeRandomSolo makes")

// soloKernel returns a kernel with a random loop of loads, about half of which lanes can run solo.
func soloKernel(rng *rand.Rand) string {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	constant := func() string { return fmt.Sprint(rng.IntN(12)) }
	index := func() string {
		return pick("k", "k", "k + "+constant(), "k - "+constant(), "k * 3 & 1023", "k ^ 5", "t & 2047", "i", "i + k",
			constant(), "uint(n) + k", "at", "int(k) - 20", "k << 1", "uint(min(k, 900u))")
	}
	float := func() string {
		return fmt.Sprintf(pick("data[%s]", "triples[%s].b", "float(low[%s])", "last[%s]"), index())
	}
	integer := func() string { return pick("ints[", "bytes[", "shorts[", "row[") + index() + "]" }
	statement := func() string {
		return pick("s += "+float()+" * 0.5f;", "s -= "+float()+" * "+float()+";", "s = fmax(s * 0.25f, "+float()+");",
			"s += float(at);", "t ^= uint("+integer()+");", "t += uint("+integer()+") >> "+constant()+";",
			"at = uint("+integer()+") & 1023;",
			"s = "+pick("(t & 1) != 0", "s > 0.5f", "at > k")+" ? s * 0.5f : s + "+float()+";",
			"if ("+pick(float()+" > 1", float()+" == 0.25f", "t % 11 == 3", "at == k")+") break;",
			"odd = "+pick("!odd", "(k & 1) != 0", "s > 0.25f && "+float()+" > 0")+";")
	}
	// Steps are the same in all lanes that are left.
	body := "    if (" + pick("++steps", "k - start", "k - start", "k - start", "k - start") + " > 60) break;\n"
	for range 1 + rng.IntN(5) {
		body += "    " + statement() + "\n"
	}
	step := pick("k++", "k++", "k += 2", "k += 1 + (t & 1)")
	condition := "k < end" + pick("", "", " && "+float()+" != 0.5f", " && (t & 31) != 30")
	loop := pick("  for (; "+condition+"; "+step+") {\n"+body+"  }\n",
		"  while ("+condition+") {\n    "+step+";\n"+body+"  }\n",
		"  do {\n"+body+"    "+step+";\n  } while ("+condition+");\n")
	enter := pick("", "", "  if (i % 3 != 1)\n")
	return `
struct Triple { float a, b, c; };
kernel void random(device float *out [[buffer(0)]], device const float *data [[buffer(1)]],
                   device const uint *row [[buffer(2)]], constant int &n [[buffer(3)]],
                   uint i [[thread_position_in_grid]]) {
  device const uint *ints = row + 2;
  device const uchar *bytes = (device const uchar *)row + 1;
  device const short *shorts = (device const short *)row + 3;
  device const Triple *triples = (device const Triple *)data;
  device const half *low = (device const half *)data + n;
  device const float *last = data + 3900;
  uint k = row[i], start = k, at = i, t = i * 7, steps = 0;
  const uint end = row[i + 1];
  float s = 0;
  bool odd = false;
` + enter + "  {\n" + loop + "  }\n  out[i] = s + float(t & 0xffff) + (odd ? 2 : 0) + at + k;\n}\n"
}

// TestMachineCodeRandomSolo: random loops that lanes run solo give the interpreter's bits.
func TestMachineCodeRandomSolo(t *testing.T) {
	needMachineCode(t)
	launch := soloLaunch()
	e := exec.NewEngine(1)
	defer e.Close()
	solo := 0
	for seed := range uint64(*manySolos) {
		text := soloKernel(rand.New(rand.NewPCG(seed, 3)))
		kernel := kernelsOf(t, text)["random"]
		for _, n := range []uint32{0, 7, 1<<32 - 9} {
			run := func(k *exec.Kernel) []byte {
				l, out := launch(100, n)
				require.NoError(t, e.Run(t.Context(), k, l), text)
				return out
			}
			want := run(kernel)
			for _, o := range machineCodes(Options{}, Options{Solo: true},
				Options{Solo: true, Blocks: 1, Spill: true}, Options{Solo: true, Starve: true}) {
				b := backend{Machine: o, compiled: func(list []*Range) {
					for _, r := range list {
						solo += r.Solo
					}
				}}
				k := exec.NewKernel(kernel.Func(), exec.Options{Backend: b})
				require.Equal(t, want, run(k), "seed %d, n %d, %+v\n%s", seed, int32(n), o, text)
			}
		}
	}
	t.Logf("%d kernels, compiled with %d loops of single lanes", *manySolos, solo)
	require.Greater(t, solo, 2**manySolos)
}
