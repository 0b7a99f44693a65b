package sanitizetest

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// Case is a kernel and a launch of it.
type Case struct {
	Func   *ir.Func
	Launch *testlaunch.Launch
	Bytes  int             // of each of its buffers
	Format string          // of its textures
	Find   map[string]bool // "kind:line" of the mistakes that its text marks
}

// Wrong reports whether the kernel is one with a mistake.
func (c *Case) Wrong() bool { return strings.HasSuffix(c.Func.Name, "_wrong") }

// Corpus returns the kernels of a folder, each with a launch of 128 threads in groups of 64. A
// comment "// buffers n" before a kernel sets the size of its buffers, "// texture format" the
// format of its textures, and "// FIND kind" marks a line with a mistake.
func Corpus(dir string) (list []*Case, err error) {
	kernelLine := regexp.MustCompile(`^kernel void (\w+)\(`)
	buffers := regexp.MustCompile(`^// buffers (\d+)$`)
	texture := regexp.MustCompile(`^// texture (\w+)$`)
	mark := regexp.MustCompile(`// FIND (\w+)$`)
	files, err := filepath.Glob(filepath.Join(dir, "*.metal"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		m, diags := msl.Compile(context.Background(), msl.Source{Name: filepath.Base(file), Text: string(text)},
			msl.Options{NoWarnings: true, KeepUninitialized: true})
		if len(diags) > 0 {
			var b bytes.Buffer
			_ = diag.Text(&b, m.Files, diags)
			return nil, fmt.Errorf("%s: %s", file, &b)
		}
		const usual = "RGBA32Uint"
		size, format, now, before := 4096, usual, (*Case)(nil), len(list)
		for i, line := range strings.Split(string(text), "\n") {
			if x := buffers.FindStringSubmatch(line); x != nil {
				size, _ = strconv.Atoi(x[1])
			}
			if x := texture.FindStringSubmatch(line); x != nil {
				format = x[1]
			}
			if x := kernelLine.FindStringSubmatch(line); x != nil {
				f := m.IR.Func(x[1])
				if f == nil {
					return nil, fmt.Errorf("%s:%d: no kernel %s", file, i+1, x[1])
				}
				now = &Case{Func: f, Launch: corpusLaunch(f, size, format), Bytes: size, Format: format, Find: map[string]bool{}}
				list, size, format = append(list, now), 4096, usual
			}
			if x := mark.FindStringSubmatch(line); x != nil {
				if now == nil {
					return nil, fmt.Errorf("%s:%d: a mark before all kernels", file, i+1)
				}
				now.Find[fmt.Sprintf("%s:%d", x[1], i+1)] = true
			}
		}
		if n := len(list) - before; n != len(m.IR.Funcs) {
			return nil, fmt.Errorf("%s: %d of %d kernels begin a line", file, n, len(m.IR.Funcs))
		}
	}
	return list, err
}

func corpusLaunch(f *ir.Func, bytes int, format string) *testlaunch.Launch {
	l := &testlaunch.Launch{Grid: [3]int{128}, Group: [3]int{64}, Buffers: map[int]testlaunch.Buffer{},
		Textures: map[int]*testlaunch.Texture{}}
	for _, a := range f.Args {
		switch a.Kind {
		case ir.ArgTexture:
			l.Textures[a.Index] = &testlaunch.Texture{Format: format, Width: 16, Height: 16, Depth: 1, Layers: 1,
				Samples: 1, Levels: [][]byte{make([]byte, 16*16*16)}}
		case ir.ArgBuffer:
			data := make([]byte, bytes)
			for i := range len(data) / 4 {
				binary.LittleEndian.PutUint32(data[4*i:], uint32(i*7+1))
			}
			l.Buffers[a.Index] = testlaunch.Buffer{Data: data}
		}
	}
	return l
}
