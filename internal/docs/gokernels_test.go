package docs

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/gokernel"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/translate"
)

const goPage = "docs/go-kernels.md"

// goExamples are the kernels of docs/go-kernels.md. They are one program in Go, which runs all of
// them on the CPU, and the package that is compiled for the device.
type goExamples struct {
	t     *testing.T
	files map[string]string
	list  []*goExample
}

// goExample is a kernel with its arguments and what it leaves.
type goExample struct {
	name    string
	decl    *ast.FuncDecl
	text    string   // of its file
	panics  string   // if not "", Go panics, and with Checked the launch has this error
	double  bool     // float64 is float
	threads []string // of the grid; those of the longest slice if there are none
	group   [3]int
	in, out []given
}

// given is a value, an expression of Go.
type given struct{ name, value string }

// file returns the file of a kernel.
func (x *goExample) file() string { return strings.ToLower(x.name) + ".go" }

// ownHead is the beginning of a block that is a whole file.
var ownHead = regexp.MustCompile(`^package kernels\n\nimport .*\n`)

// add adds a file with the imports that it needs.
func (e *goExamples) add(name, text string) {
	imports := []string{"bytes", "encoding/json", "fmt", "iter", "math", "math/bits", "os", "slices", "sync/atomic",
		"unsafe", "github.com/puremetal/puremetal/kernel", "github.com/puremetal/puremetal/simd"}
	for file := range e.files {
		if dir := path.Dir(file); dir != "." {
			imports = append(imports, "example.com/newcomer/"+dir)
		}
	}
	code := regexp.MustCompile(`//.*`).ReplaceAllString(text, "")
	head := "package main\n\nimport (\n"
	for _, p := range imports {
		if regexp.MustCompile(`\b` + path.Base(p) + `\.[A-Z]`).MatchString(code) {
			head += "\t" + strconv.Quote(p) + "\n"
		}
	}
	e.files[name] = head + ")\n\n" + text[len(ownHead.FindString(text)):]
}

// example adds a kernel and its file.
func (e *goExamples) example(x *goExample, text string) {
	e.add(x.file(), text)
	x.text = e.files[x.file()]
	f, err := parser.ParseFile(token.NewFileSet(), x.file(), x.text, parser.ParseComments)
	require.NoError(e.t, err, "%s", x.text)
	i := slices.IndexFunc(f.Decls, func(d ast.Decl) bool {
		f, ok := d.(*ast.FuncDecl)
		return ok && f.Name.Name == x.name
	})
	require.GreaterOrEqual(e.t, i, 0, "the block has no kernel %s", x.name)
	x.decl = f.Decls[i].(*ast.FuncDecl)
	for _, c := range x.decl.Doc.List {
		if _, list, ok := strings.Cut(c.Text, "//puremetal:kernel group="); ok {
			x.group = [3]int{1, 1, 1}
			for i, n := range strings.Split(list, ",") {
				x.group[i], err = strconv.Atoi(n)
				require.NoError(e.t, err, c.Text)
			}
		}
	}
	e.list = append(e.list, x)
}

// block adds a kernel of a block, whose comment ends with: With arguments: what it leaves.
func (e *goExamples) block(what, text string) {
	if dir, ok := strings.CutPrefix(what, "package "); ok {
		e.files[dir+"/"+dir+".go"] = text
		return
	}
	x := &goExample{}
	x.name, x.double = strings.CutSuffix(what, " with float64 as float")
	e.example(x, text)
	said := regexp.MustCompile(`(?s)\bWith (?:(\d+)(?: by (\d+))? threads?, )?([^:]*):\s(.*)\.\n$`).
		FindStringSubmatch(x.decl.Doc.Text())
	require.NotNil(e.t, said, "%s: the comment does not end with its arguments and what it leaves", what)
	x.threads = slices.DeleteFunc(said[1:3], func(n string) bool { return n == "" })
	x.in, x.out = e.values(said[3]), e.values(said[4])
}

// values splits a list such as x = {1, 2}, n = 3.
func (e *goExamples) values(list string) (out []given) {
	depth, quoted, begin := 0, false, 0
	for i, c := range list + "," {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '(':
			depth++
		case c == '}' || c == ')':
			depth--
		case c == ',' && depth == 0:
			name, value, ok := strings.Cut(list[begin:i], " = ")
			require.True(e.t, ok, "%q is not of the form name = value", list[begin:i])
			out = append(out, given{strings.TrimSpace(name), value})
			begin = i + 1
		}
	}
	return out
}

// row adds a kernel made of a row of a table: parameters with their values, statements, and an
// expression with its value, or a slice with its elements.
func (e *goExamples) row(name, with, code, value, panics string) {
	x := &goExample{name: name, panics: panics, threads: []string{"1"}}
	params := ""
	for _, p := range codes(with) {
		for _, g := range e.values(p) {
			name, _, _ := strings.Cut(g.name, " ")
			x.in = append(x.in, given{name, g.value})
			params += g.name + ", "
		}
	}
	lines := codes(code)
	require.NotEmpty(e.t, lines, code)
	last := &lines[len(lines)-1]
	want := strings.Join(codes(value), "")
	switch {
	case strings.HasPrefix(want, "{"):
		x.out = []given{{*last, want}}
		*last = ""
	case want == "true" || want == "false":
		x.out = []given{{"result", map[string]string{"true": "{1}", "false": "{0}"}[want]}}
		*last = "if " + *last + " {\nresult[0] = 1\n}"
	case strings.Contains(want, "."):
		x.out = []given{{"result", "{int64(math.Float32bits(" + want + "))}"}}
		*last = "result[0] = int64(math.Float32bits(" + *last + "))"
	default:
		x.out = []given{{"result", "{" + want + "}"}}
		*last = "result[0] = int64(" + *last + ")"
	}
	x.in = append(x.in, given{"result", "{0}"})
	e.example(x, "//puremetal:kernel\nfunc "+name+"(t *kernel.Thread, "+params+"result []int64) {\n"+
		strings.Join(lines, "\n")+"\n}\n")
}

// codes returns the pieces of code in a cell of a table.
func codes(cell string) (out []string) {
	for _, m := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(cell, -1) {
		out = append(out, m[1])
	}
	return out
}

// ran is what the program says of a kernel.
type ran struct {
	Name              string
	Threads, Group    [3]int
	Args              []ranArg
	Shared            []int
	Output, Err, Want string
}

// ranArg is an argument before and after. Stated is what the page says about it, if it does.
type ranArg struct {
	Name                  string
	Slice                 bool
	Size                  int
	Width                 int // of a texture of R32Float
	Before, After, Stated []byte
	Is, Says              string
}

const goMain = `
type ran struct {
	Name              string
	Threads, Group    [3]int
	Args              []*ranArg
	Shared            []int
	Output, Err, Want string
}

type ranArg struct {
	Name                  string
	Slice                 bool
	Size                  int
	Width                 int
	Before, After, Stated []byte
	Is, Says              string
}

func bytesOf[T any](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}

func (r *ran) arg(name string) *ranArg {
	r.Args = append(r.Args, &ranArg{Name: name})
	return r.Args[len(r.Args)-1]
}

func value[T any](r *ran, name string, v T) {
	r.arg(name).Before = bytes.Clone(bytesOf([]T{v}))
}

func slice[T any](r *ran, name string, v, stated []T) (after func()) {
	a := r.arg(name)
	a.Slice, a.Size, a.Before = true, int(unsafe.Sizeof(v[0])), bytes.Clone(bytesOf(v))
	r.Threads[0] = max(r.Threads[0], len(v))
	return func() {
		a.After = bytesOf(v)
		if len(stated) > 0 {
			a.Stated, a.Is, a.Says = bytesOf(stated), fmt.Sprint(v), fmt.Sprint(stated)
		}
	}
}

func texture(r *ran, name string, rows, stated [][]float32) (m *kernel.Image, after func()) {
	list := slices.Concat(rows...)
	after = slice(r, name, list, slices.Concat(stated...))
	r.Args[len(r.Args)-1].Width = len(rows[0])
	m, err := kernel.NewImage(list, len(rows[0]), len(rows), "R32Float")
	if err != nil {
		panic(err)
	}
	return m, after
}

func (r *ran) run(f func(t *kernel.Thread), after []func()) *ran {
	if r.Group[0] == 0 {
		r.Group = [3]int{min(r.Threads[0], 64), 1, 1}
	}
	var out bytes.Buffer
	kernel.SetOutput(&out)
	index := func(v [3]int) kernel.Index { return kernel.Index{X: uint32(v[0]), Y: uint32(v[1]), Z: uint32(v[2])} }
	if err := kernel.Run(index(r.Threads), index(r.Group), f, r.Shared...); err != nil {
		r.Err = err.Error()
	}
	for _, f := range after {
		f()
	}
	r.Output = out.String()
	return r
}

func main() {
	json.NewEncoder(os.Stdout).Encode([]*ran{CALLS})
}
`

// main writes the function main, which runs all kernels on the CPU.
func (e *goExamples) main() {
	calls, body := "", ""
	for _, x := range e.list {
		calls += "run" + x.name + "(), "
		body += fmt.Sprintf("\nfunc run%s() *ran {\n\tr := &ran{Name: %q}\n\tvar after []func()\n", x.name, x.name)
		if x.group[0] > 0 {
			body += fmt.Sprintf("\tr.Group = [3]int{%d, %d, %d}\n", x.group[0], x.group[1], x.group[2])
		}
		stated := maps.Collect(pairs(x.out))
		given := maps.Collect(pairs(x.in))
		args := ""
		for _, field := range x.decl.Type.Params.List[1:] {
			typ := x.text[field.Type.Pos()-1 : field.Type.End()-1]
			literal := func(value string) string {
				if strings.HasPrefix(value, "{") {
					return typ + value
				}
				return "(" + typ + ")(" + value + ")"
			}
			for _, n := range field.Names {
				require.Contains(e.t, given, n.Name, "%s: this argument has no value", x.name)
				if strings.Contains(typ, "Texture2D[") {
					want, ok := stated[n.Name]
					if !ok {
						want = "(nil)"
					}
					body += fmt.Sprintf("\ti_%s, a_%[1]s := texture(r, %[1]q, [][]float32%s, [][]float32%s)\n", n.Name,
						given[n.Name], want)
					body += fmt.Sprintf("\tafter = append(after, a_%s)\n", n.Name)
					args += fmt.Sprintf(", %s{Image: i_%s}", typ, n.Name)
					delete(stated, n.Name)
					delete(given, n.Name)
					continue
				}
				body += fmt.Sprintf("\tv_%s := %s\n", n.Name, literal(given[n.Name]))
				switch want, ok := stated[n.Name]; {
				case !strings.HasPrefix(typ, "[]"):
					require.False(e.t, ok, "%s: %s is no slice", x.name, n.Name)
					body += fmt.Sprintf("\tvalue(r, %q, v_%s)\n", n.Name, n.Name)
				case ok:
					body += fmt.Sprintf("\tafter = append(after, slice(r, %q, v_%s, %s))\n", n.Name, n.Name, literal(want))
				default:
					body += fmt.Sprintf("\tafter = append(after, slice(r, %q, v_%s, nil))\n", n.Name, n.Name)
				}
				args += ", v_" + n.Name
				delete(stated, n.Name)
				delete(given, n.Name)
			}
		}
		for _, g := range x.in {
			if strings.HasPrefix(g.name, "len(") {
				body += "\tr.Shared = append(r.Shared, " + g.value + ")\n"
				delete(given, g.name)
			}
		}
		if want, ok := stated["output"]; ok {
			body += "\tr.Want = " + want + "\n"
			delete(stated, "output")
		}
		require.Empty(e.t, given, "%s has no such parameters", x.name)
		require.Empty(e.t, stated, "%s has no such parameters", x.name)
		if threads := append(slices.Clone(x.threads), "1", "1"); len(x.threads) > 0 {
			body += "\tr.Threads = [3]int{" + strings.Join(threads[:3], ", ") + "}\n"
		} else {
			body += "\tr.Threads[1], r.Threads[2] = 1, 1\n"
		}
		body += "\treturn r.run(func(t *kernel.Thread) { " + x.name + "(t" + args + ") }, after)\n}\n"
	}
	e.add("main.go", strings.Replace(goMain, "CALLS", calls, 1)+body)
}

// pairs returns the names and values of a list.
func pairs(list []given) func(yield func(name, value string) bool) {
	return func(yield func(name, value string) bool) {
		for _, g := range list {
			if !yield(g.name, g.value) {
				return
			}
		}
	}
}

// goDevice runs kernels on the device.
type goDevice struct {
	*goExamples
	acc    *compute.Accelerator
	stream *compute.Stream

	mu     sync.Mutex
	output string
}

// fs returns the files of some kernels, and the other packages of their module.
func (e *goExamples) fs(keep func(x *goExample) bool) fstest.MapFS {
	files := fstest.MapFS{"go.mod": {Data: []byte("module example.com/newcomer\n")}}
	for name, text := range e.files {
		i := slices.IndexFunc(e.list, func(x *goExample) bool { return x.file() == name })
		if i >= 0 && keep(e.list[i]) || path.Dir(name) != "." {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return files
}

// launch runs a kernel of a program and returns what it leaves in its slices.
func (d *goDevice) launch(p *compute.Program, r *ran) (after map[string][]byte, err error) {
	ctx := d.t.Context()
	k, err := p.Kernel(r.Name)
	require.NoError(d.t, err)
	var args []any
	buffers := map[string]*compute.Buffer[byte]{}
	textures := map[string]*compute.Texture[float32]{}
	for _, a := range r.Args {
		if a.Width > 0 {
			x, err := compute.NewTexture[float32](d.acc, compute.Texture2D(a.Width, len(a.Before)/4/a.Width),
				compute.TextureOptions{})
			require.NoError(d.t, err)
			defer x.Close()
			texels := make([]float32, x.Len())
			_, err = binary.Decode(a.Before, binary.LittleEndian, texels)
			require.NoError(d.t, err)
			require.NoError(d.t, x.Upload(ctx, texels))
			textures[a.Name] = x
			args = append(args, x)
			continue
		}
		if !a.Slice {
			args = append(args, compute.Bytes(a.Before))
			continue
		}
		b, err := compute.BufferOf(ctx, d.acc, a.Before)
		require.NoError(d.t, err)
		defer b.Close()
		buffers[a.Name] = b
		args = append(args, b)
	}
	for _, n := range r.Shared {
		args = append(args, compute.ThreadgroupElements(n))
	}
	grid := compute.Threads{Grid: compute.Extent{X: r.Threads[0], Y: r.Threads[1], Z: r.Threads[2]},
		Group: compute.Extent{X: r.Group[0], Y: r.Group[1], Z: r.Group[2]}}
	d.output = ""
	err = d.stream.Launch(ctx, k, grid, args...)
	if errors.Is(err, compute.ErrGridSync) {
		err = d.stream.LaunchCooperative(ctx, k, grid, args...)
	}
	if err == nil {
		err = d.stream.Sync(ctx)
	}
	after = map[string][]byte{}
	for name, b := range buffers {
		if err == nil {
			after[name] = make([]byte, b.Len())
			err = b.Download(ctx, after[name])
		}
	}
	for name, x := range textures {
		if err == nil {
			texels := make([]float32, x.Len())
			err = x.Download(ctx, texels)
			after[name], _ = binary.Append(nil, binary.LittleEndian, texels)
		}
	}
	return after, err
}

// TestGoKernels runs each kernel of the page by the Go compiler and on the device, and compares
// both with each other and with the page.
func TestGoKernels(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to build with: ", err)
	}
	page := read(t, goPage)
	e := &goExamples{t: t, files: map[string]string{}}
	found, what := marked(page, "kernel")
	for i, b := range found {
		e.block(what[i], b.text)
	}
	for i, r := range rows(t, page, "value of each expression", 4) {
		e.row(fmt.Sprintf("Value%d", i+1), r[1], r[2], r[3], "")
	}
	for i, r := range rows(t, page, "value where Go panics", 5) {
		e.row(fmt.Sprintf("Panic%d", i+1), r[1], r[2], r[3], codes(r[4])[0])
	}
	e.main()
	file := filepath.Join(newcomer(t, e.files), "newcomer.exe")
	buildNewcomer(t, filepath.Dir(file), file, "-s -w")
	text, err := exec.Command(file).Output()
	require.NoError(t, err)
	var all []*ran
	require.NoError(t, json.Unmarshal(text, &all))
	require.Len(t, all, len(e.list))

	d := &goDevice{goExamples: e}
	d.acc, err = compute.Open(compute.WithValidation(compute.ValidateShape),
		compute.WithLogger(slog.New(slog.DiscardHandler)), compute.WithKernelLog(compute.KernelLog{Level: mtl.LogLevelDebug,
			Handler: func(m compute.KernelMessage) {
				d.mu.Lock()
				defer d.mu.Unlock()
				d.output += m.Text
			}}))
	require.NoError(t, err)
	defer func() { assert.NoError(t, d.acc.Close(t.Context())) }()
	d.stream, err = d.acc.NextStream()
	require.NoError(t, err)
	compile := func(o compute.CompileOptions, keep func(x *goExample) bool) *compute.Program {
		p, err := gokernel.Compile(t.Context(), d.acc, e.fs(keep), ".", o)
		require.NoError(t, err)
		require.Empty(t, p.Translation().Refused)
		return p
	}
	plain := compile(compute.CompileOptions{Logging: true}, func(x *goExample) bool { return !x.double })
	defer plain.Close()
	double := compile(compute.CompileOptions{DoubleAsFloat: true}, func(x *goExample) bool { return x.double })
	defer double.Close()
	checked := compile(compute.CompileOptions{Checked: true}, func(x *goExample) bool { return x.panics != "" })
	defer checked.Close()
	for i, x := range e.list {
		t.Run(x.name, func(t *testing.T) {
			d.t = t
			r, p := all[i], plain
			if x.double {
				p = double
			}
			device, err := d.launch(p, r)
			require.NoError(t, err)
			assert.Equal(t, r.Want, d.output, "on the device\n%s", x.text)
			for _, a := range r.Args {
				if a.Stated != nil {
					assert.Equal(t, a.Stated, device[a.Name], "%s on the device; the page says %s\n%s", a.Name, a.Says, x.text)
				}
				if x.panics == "" && a.Slice {
					assert.Equal(t, a.Says, a.Is, "%s in Go\n%s", a.Name, x.text)
					assert.Equal(t, a.After, device[a.Name], "%s in Go and on the device", a.Name)
				}
			}
			if x.panics == "" {
				require.Empty(t, r.Err, "in Go\n%s", x.text)
				assert.Equal(t, r.Want, r.Output, "in Go\n%s", x.text)
				return
			}
			assert.NotEmpty(t, r.Err, "Go does not panic\n%s", x.text)
			if d.acc.Info().Software {
				_, err = d.launch(checked, r)
				assert.ErrorContains(t, err, ": "+x.panics)
				assert.Regexp(t, regexp.QuoteMeta(x.file())+`:\d+: `, err)
			}
		})
	}
}

// refusedFile returns the file of a kernel K made of pieces of code: declarations, the kernel's
// directive or its signature, and statements.
func refusedFile(t *testing.T, pieces []string) string {
	text, directive := "", "//puremetal:kernel"
	signature := "func K(t *kernel.Thread, x []int32, f []float32, v []simd.Float4, h []simd.Half)"
	var body []string
	for i, piece := range pieces {
		switch word, _, _ := strings.Cut(piece, " "); {
		case word == directive:
			directive = piece
		case regexp.MustCompile(`^func (\(.*\) )?K[(\[]`).MatchString(piece):
			signature = piece
		case word == "func" || word == "type" || word == "var" && i > 0:
			text += piece + "\n"
		default:
			body = append(body, piece)
		}
	}
	e := &goExamples{t: t, files: map[string]string{}}
	e.add("kernels.go", text+directive+"\n"+signature+" {\n"+strings.Join(body, "\n")+"\n}\n")
	return e.files["kernels.go"]
}

// TestGoRefusals: what the page says is refused gives the messages of the page, at the line of the
// first piece of code. PUREMETAL_UPDATE=1 updates the messages.
func TestGoRefusals(t *testing.T) {
	page := read(t, goPage)
	for _, r := range rows(t, page, "refused", 2) {
		pieces := codes(r[0])
		require.NotEmpty(t, pieces, r)
		text := refusedFile(t, pieces)
		result, err := gokernel.Translate(t.Context(), fstest.MapFS{"kernels.go": {Data: []byte(text)}}, ".",
			translate.Options{})
		require.NoError(t, err)
		if !assert.NotEmpty(t, result.Refused, "%s", text) {
			continue
		}
		have := result.Refused[0]
		message := "`" + regexp.MustCompile(`\bline \d+`).ReplaceAllString(have.Reason, "line N") + "`"
		if have.Code != "T0021" {
			message += " (" + have.Code + ")"
		}
		if os.Getenv("PUREMETAL_UPDATE") != "" {
			page = strings.Replace(page, "\n| "+r[0]+" | "+r[1]+" |\n", "\n| "+r[0]+" | "+message+" |\n", 1)
		} else {
			assert.Equal(t, r[1], message, "%s", text)
		}
		assert.Contains(t, strings.Split(text, "\n")[have.Line-1], pieces[0], "the line of the message in\n%s", text)
	}
	if os.Getenv("PUREMETAL_UPDATE") != "" {
		require.NoError(t, os.WriteFile(filepath.Join("..", "..", goPage), []byte(page), 0o666))
	}
	found, what := marked(page, "refusal")
	require.Equal(t, []string{"file", "message"}, what)
	same(t, goPage, "refusal", func(what string) string {
		if what == "file" {
			return found[0].text
		}
		r, err := gokernel.Translate(t.Context(), fstest.MapFS{"kernels.go": {Data: []byte(found[0].text)}}, ".",
			translate.Options{})
		require.NoError(t, err)
		require.Len(t, r.Refused, 1)
		return r.Refused[0].String() + "\n"
	})
}

// TestGoTranslations: the page shows Metal as the translator writes it, but for line breaks.
func TestGoTranslations(t *testing.T) {
	translated := func(text string) string {
		e := &goExamples{t: t, files: map[string]string{}}
		e.add("kernels.go", text)
		r, err := gokernel.Translate(t.Context(), fstest.MapFS{"kernels.go": {Data: []byte(e.files["kernels.go"])}}, ".",
			translate.Options{})
		require.NoError(t, err)
		require.Empty(t, r.Refused, text)
		return r.Text
	}
	found, what := marked(read(t, goPage), "kernel")
	words := func(text string) string { return strings.Join(strings.Fields(text), " ") } // the page breaks lines
	shown, names := marked(read(t, goPage), "translation")
	require.Len(t, names, 1)
	text := translated(found[slices.Index(what, names[0])].text)
	assert.Contains(t, words(text), words(shown[0].text))
	for _, r := range rows(t, read(t, goPage), "parameters", 3) {
		text := translated("//puremetal:kernel\nfunc K(t *kernel.Thread, " + codes(r[1])[0] + ") {}\n")
		assert.Contains(t, words(text), "kernel void K("+codes(r[2])[0]+")", r)
	}
}
