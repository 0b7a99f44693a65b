//go:build !puremetal_run

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/puremetal/puremetal/model"
	"github.com/puremetal/puremetal/model/gguf"
	"github.com/puremetal/puremetal/model/safetensors"
)

// modelInfoCmd is model info.
type modelInfoCmd struct {
	File string `arg:"" help:"A .gguf or .safetensors file, or a .safetensors.index.json."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// modelInfo is what model info prints. Values stay in the mapping of the file until they are
// printed: those of a hostile file would take more memory decoded than the file has bytes.
type modelInfo struct {
	format, architecture string
	metadata             []modelPair
	tensors              []tensorInfo
	file                 io.Closer
}

// modelPair is a key of the metadata with its value, a string or a gguf.Value.
type modelPair struct {
	key   string
	value any
}

type tensorInfo struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Shape []int  `json:"shape"` // outermost first
}

// Run prints the file's contents.
func (c *modelInfoCmd) Run(a *app) error {
	info, err := abandonable(a.ctx, c.read)
	if err != nil {
		return err
	}
	defer info.file.Close()
	if c.JSON {
		w := bufio.NewWriterSize(a.out, 1<<16)
		info.writeJSON(w)
		return w.Flush()
	}
	fmt.Fprintf(a.out, "%s, architecture %s, %d tensors\n\n", info.format, orNone(info.architecture), len(info.tensors))
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, p := range info.metadata {
		fmt.Fprintf(w, "%s\t%s\n", p.key, shortened(p.value))
	}
	fmt.Fprintln(w)
	for i, t := range info.tensors {
		fmt.Fprintf(w, "%s\t%s\t%v\n", t.Name, t.Type, t.Shape)
		if i%1024 == 1023 {
			w.Flush() // which aligns these lines, and bounds memory
		}
	}
	return w.Flush()
}

func orNone(s string) string {
	if s == "" {
		return "not stated"
	}
	return s
}

func (c *modelInfoCmd) read() (info modelInfo, err error) {
	if info.format, err = model.KindOf(c.File); err != nil {
		return info, err
	}
	if info.format == "gguf" {
		f, err := gguf.Open(c.File)
		if err != nil {
			return info, err
		}
		info.file = f
		info.architecture, _ = f.Text("general.architecture")
		for _, p := range f.Metadata {
			info.metadata = append(info.metadata, modelPair{p.Key, p.Value})
		}
		slices.SortFunc(info.metadata, func(x, y modelPair) int { return strings.Compare(x.key, y.key) })
		for _, t := range f.Tensors {
			info.tensors = append(info.tensors, tensorInfo{t.Name, t.Type.String(), t.Shape})
		}
		return info, nil
	}
	f, err := safetensors.Open(c.File)
	if err != nil {
		return info, err
	}
	info.file = f
	for _, k := range slices.Sorted(maps.Keys(f.Metadata)) {
		info.metadata = append(info.metadata, modelPair{k, f.Metadata[k]})
	}
	info.architecture = safetensorsArchitecture(c.File, f)
	for _, t := range f.Tensors {
		info.tensors = append(info.tensors, tensorInfo{t.Name, string(t.Type), t.Shape})
	}
	return info, nil
}

// safetensorsArchitecture returns the architecture that the file's metadata or config.json beside
// it state, or "".
func safetensorsArchitecture(file string, f *safetensors.File) string {
	for _, key := range []string{"architecture", "general.architecture"} {
		if s := f.Metadata[key]; s != "" {
			return s
		}
	}
	c, err := model.ReadConfig(filepath.Join(filepath.Dir(file), "config.json"))
	if err != nil {
		return "" // info describes the file alone, then
	}
	return c.Architecture
}

// writeJSON writes the document that other tools read, piece by piece. A bufio.Writer keeps the
// first error.
func (info *modelInfo) writeJSON(w *bufio.Writer) {
	w.WriteString(`{"format":`)
	writeString(w, info.format)
	w.WriteString(`,"architecture":`)
	writeString(w, info.architecture)
	w.WriteString(`,"metadata":{`)
	for i, p := range info.metadata {
		writeComma(w, i)
		writeString(w, p.key)
		w.WriteByte(':')
		writeValue(w, p.value)
	}
	w.WriteString("},\n\"tensors\":[")
	for i, t := range info.tensors {
		writeComma(w, i)
		b, _ := json.Marshal(t) // strings and integers have no errors
		w.Write(b)
	}
	w.WriteString("]}\n")
}

// writeComma writes what is between two pairs or tensors: each has a line of its own.
func writeComma(w *bufio.Writer, i int) {
	if i > 0 {
		w.WriteByte(',')
	}
	w.WriteByte('\n')
}

// writeValue writes a value of the metadata. JSON has no NaN and no infinities: these are strings.
func writeValue(w *bufio.Writer, value any) {
	v, ok := value.(gguf.Value)
	if !ok {
		writeString(w, value.(string))
		return
	}
	switch v.Kind() {
	case gguf.String:
		text, _ := v.Text()
		writeString(w, text)
	case gguf.Array:
		w.WriteByte('[')
		for i, x := range v.Elements() {
			if i > 0 {
				w.WriteByte(',')
			}
			writeValue(w, x)
		}
		w.WriteByte(']')
	case gguf.Float32, gguf.Float64:
		x, _ := v.Float()
		if math.IsNaN(x) || math.IsInf(x, 0) {
			writeString(w, strconv.FormatFloat(x, 'g', -1, 64))
			return
		}
		b, _ := json.Marshal(v.Any()) // a finite number has no errors
		w.Write(b)
	default: // integers and bools
		fmt.Fprint(w, v.Any())
	}
}

// writeString writes a string in pieces: escaped, it may be six times as long.
func writeString(w *bufio.Writer, s string) {
	const piece = 1 << 16
	w.WriteByte('"')
	for len(s) > 0 {
		n := min(len(s), piece)
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n++
		}
		b, _ := json.Marshal(s[:n]) // a string has no errors
		w.Write(b[1 : len(b)-1])
		s = s[n:]
	}
	w.WriteByte('"')
}

// shortened returns a value as people read it, with the begin of what is long.
func shortened(value any) string {
	const most = 80
	cut := func(s string) string {
		if len(s) <= most {
			return s
		}
		n := most
		for !utf8.RuneStart(s[n]) {
			n--
		}
		return s[:n] + "..."
	}
	v, ok := value.(gguf.Value)
	if !ok {
		return cut(value.(string))
	}
	if v.Kind() != gguf.Array {
		return cut(fmt.Sprint(v.Any()))
	}
	var b strings.Builder
	for i, x := range v.Elements() {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(shortened(x))
		if b.Len() > most {
			break
		}
	}
	return cut("[" + b.String() + "]")
}
