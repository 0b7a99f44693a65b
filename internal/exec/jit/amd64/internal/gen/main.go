// Command gen generates zops.go of package amd64 from instructions.def. It must run in that
// package's directory.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// run reads instructions.def in a directory and writes zops.go there.
func run(dir string) error {
	text, err := generate(dir)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "zops.go"), text, 0o644)
}

// generate returns the text of zops.go for the definitions in a directory.
func generate(dir string) ([]byte, error) {
	src, err := os.ReadFile(filepath.Join(dir, "instructions.def"))
	if err != nil {
		return nil, err
	}
	rows, err := parse(string(src))
	if err != nil {
		return nil, fmt.Errorf("instructions.def:%w", err)
	}
	return print(rows)
}

// row is one definition: the name of the Op, and the fields of amd64's row as Go source.
type row struct {
	name   string
	fields []string
}

// set adds a field, once.
func (r *row) set(field, value string) error {
	if slices.ContainsFunc(r.fields, func(f string) bool { return strings.HasPrefix(f, field+":") }) {
		return fmt.Errorf("second %s", field)
	}
	r.fields = append(r.fields, field+": "+value)
	return nil
}

func parse(src string) ([]row, error) {
	var rows []row
	seen := make(map[string]bool)
	for i, line := range strings.Split(src, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		r, err := parseRow(strings.Fields(line))
		if err == nil && seen[r.name] {
			err = errors.New("defined before")
		}
		if err != nil {
			return nil, fmt.Errorf("%d: %s: %w", i+1, line, err)
		}
		seen[r.name] = true
		rows = append(rows, r)
	}
	return rows, nil
}

func parseRow(words []string) (row, error) {
	if len(words) < 5 {
		return row{}, errors.New("want a name, a mnemonic, operands, an opcode and an encoding")
	}
	r := row{name: words[0], fields: []string{"name: " + strconv.Quote(words[1])}}
	var conditions []string
	if words[2] == "-" {
		conditions = append(conditions, "bare")
	} else {
		args, err := operands(words[2])
		if err != nil {
			return row{}, err
		}
		r.fields = append(r.fields, args)
	}
	encoded := false
	for _, w := range words[4:] {
		err := error(nil)
		switch form, rest, _ := strings.Cut(w, "="); {
		case field(form) != "":
			encoded = true
			err = r.encoding(form, words[3], rest)
		case slices.Contains(conditionWords, w):
			conditions = append(conditions, conditionNames[slices.Index(conditionWords, w)])
		case strings.HasPrefix(w, "avx512"):
			err = r.set("needs", strconv.Quote(w))
		case match(`^N[48]$`, w) != nil:
			err = r.set("unit", w[1:])
		default:
			err = r.size(w)
		}
		if err != nil {
			return row{}, err
		}
	}
	if !encoded {
		return row{}, errors.New("no encoding")
	}
	if conditions != nil {
		r.fields = append(r.fields, "is: "+strings.Join(conditions, "|"))
	}
	return r, nil
}

// conditionWords are words of the definitions, and conditionNames the constants for them.
var (
	conditionWords = []string{"L0", "L1", "256+", "512", "nomask", "regvex", "reverse", "+r", "lock"}
	conditionNames = []string{"length0", "length1", "from256", "only512", "noMask", "regVEX", "reversed", "plusReg",
		"locked"}
)

// field returns the name of the field for an encoding like V0, or "".
func field(form string) string {
	return map[string]string{"E0": "evex", "E1": "evex", "V0": "vex", "V1": "vex", "R0": "legacy", "R1": "legacy"}[form]
}

// match returns the groups of a word that matches an expression, or nil.
func match(expression, word string) []string {
	return regexp.MustCompile(expression).FindStringSubmatch(word)
}

// encoding adds an encoding: a form like V0, and what follows its equals sign.
func (r *row) encoding(form, opcode, rest string) error {
	to := field(form)
	if rest != "" {
		if to != "vex" {
			return fmt.Errorf("%s has no name of its own", form)
		}
		name, other, found := strings.Cut(rest, ":")
		if found {
			opcode = other
		}
		if err := r.set("vexName", strconv.Quote(name)); err != nil {
			return err
		}
	}
	c, err := code(opcode)
	if err != nil {
		return err
	}
	if form[1] == '1' {
		c = "w1|" + c
	}
	return r.set(to, c)
}

const opcodeWord = `^(?:(66|F3|F2)\.)?(?:(0F|0F38|0F3A)\.)?([0-9A-F]{2})(?:/([0-7]))?$`

// code translates an opcode like 66.0F.72/6.
func code(s string) (string, error) {
	m := match(opcodeWord, s)
	if m == nil {
		return "", fmt.Errorf("opcode %s", s)
	}
	var parts []string
	if m[1] != "" {
		parts = append(parts, "p"+m[1])
	}
	if m[2] != "" {
		parts = append(parts, "m"+m[2])
	}
	if m[4] != "" {
		parts = append(parts, "hasDigit|"+m[4]+"<<digitAt")
	}
	if m[3] != "00" || len(parts) == 0 { // an or with 0 does nothing
		parts = append(parts, "0x"+m[3])
	}
	return strings.Join(parts, "|"), nil
}

const sizeWord = `^(?:m(1|2|4|8|16|32)|(full|half|quarter|eighth)(?:/([48]))?)$`

// size adds the size of the memory operand.
func (r *row) size(w string) error {
	m := match(sizeWord, w)
	if m == nil {
		return fmt.Errorf("unknown word %s", w)
	}
	if m[3] != "" {
		if err := r.set("element", m[3]); err != nil {
			return err
		}
	}
	return r.set("size", m[1]+m[2])
}

const operandWord = `^([DXY])(v|h|q|o|x|y|k|r8|r16|r32|r64|m|iv|ih)(/m)?$|^(I[bwdqsvc]|cl)$`

// kind returns the constant for a kind of operands.
func kind(word string) string {
	return map[string]string{"v": "vecFull", "h": "vecHalf", "q": "vecQuarter", "o": "vecEighth", "x": "vecXMM",
		"y": "vecYMM", "k": "mask", "r8": "reg8", "r16": "reg16", "r32": "reg32", "r64": "reg64", "m": "memory",
		"iv": "indexFull", "ih": "indexHalf", "Ib": "imm8", "Iw": "imm16", "Id": "imm32", "Iq": "imm64", "Is": "immShort",
		"Iv": "immVec", "Ic": "immCond", "cl": "regCL"}[word]
}

// operands translates operands like Dv,Xv,Yv/m.
func operands(s string) (string, error) {
	words := strings.Split(s, ",")
	if len(words) > 4 {
		return "", errors.New("more than 4 operands")
	}
	var args []string
	for _, w := range words {
		m := match(operandWord, w)
		switch {
		case m == nil:
			return "", fmt.Errorf("operand %s", w)
		case m[4] != "":
			args = append(args, "inImm|"+kind(m[4]))
		case m[3] != "":
			args = append(args, "in"+m[1]+"|"+kind(m[2])+"|orMemory")
		default:
			args = append(args, "in"+m[1]+"|"+kind(m[2]))
		}
	}
	return "args: [4]arg{" + strings.Join(args, ", ") + "}", nil
}

func print(rows []row) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("// Code generated by internal/gen from instructions.def. DO NOT EDIT.\n\npackage amd64\n\n")
	b.WriteString("// The instructions. See instructions.def for their operands.\nconst (\n")
	for i, r := range rows {
		b.WriteString(r.name)
		if i == 0 {
			b.WriteString(" Op = iota")
		}
		b.WriteString("\n")
	}
	b.WriteString("\nopCount\n)\n\nvar rows = [opCount]row{\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "%s: {%s},\n", r.name, strings.Join(r.fields, ", "))
	}
	b.WriteString("}\n")
	return format.Source(b.Bytes())
}
