package amd64

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// llvm runs LLVM's assembler, and skips the test where it is not installed.
func llvm(t *testing.T, input string, args ...string) (out, messages string, err error) {
	path, err := exec.LookPath("llvm-mc")
	if err != nil {
		t.Skip("llvm-mc is not installed")
	}
	cmd := exec.Command(path, append(args, "-triple=x86_64", "-output-asm-variant=1")...)
	cmd.Stdin = strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	return stdout.String(), stderr.String(), err
}

// assemble returns LLVM's bytes for each line, nil for a line that it refuses.
func assemble(t *testing.T, lines []string) [][]byte {
	out, messages, err := llvm(t, ".intel_syntax noprefix\n"+strings.Join(lines, "\n")+"\n", "-show-encoding")
	refused := make(map[int]bool)
	for _, m := range regexp.MustCompile(`(?m)^<stdin>:(\d+):\d+: error:`).FindAllStringSubmatch(messages, -1) {
		line, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		refused[line-2] = true
	}
	require.Equal(t, err != nil, len(refused) > 0, "%v: %s", err, messages)
	found := regexp.MustCompile(`encoding: \[([^\]]*)\]`).FindAllStringSubmatch(out, -1)
	require.Len(t, found, len(lines)-len(refused), "%s", messages)
	list := make([][]byte, len(lines))
	for n := range lines {
		if refused[n] {
			continue
		}
		b, err := hex.DecodeString(strings.NewReplacer("0x", "", ",", "").Replace(found[0][1]))
		require.NoError(t, err)
		list[n], found = b, found[1:]
	}
	return list
}

// disassemble returns LLVM's text for each instruction, without prefixes that name its encoding.
func disassemble(t *testing.T, list [][]byte) []string {
	var in strings.Builder
	for _, b := range list {
		for _, c := range b {
			fmt.Fprintf(&in, "%#02x ", c)
		}
		in.WriteString("\n")
	}
	out, messages, err := llvm(t, in.String(), "-disassemble")
	require.NoError(t, err)
	require.Empty(t, messages)
	lines := strings.Split(strings.TrimSpace(strings.Replace(out, ".text", "", 1)), "\n")
	require.Len(t, lines, len(list))
	for n, l := range lines {
		l, _, _ = strings.Cut(l, "#") // a comment on what the instruction does
		lines[n] = strings.TrimSpace(strings.ReplaceAll(strings.Replace(l, "{evex}", "", 1), "\t", " "))
	}
	return lines
}

// other is a case in which LLVM takes another encoding. Ours has the same length or, if longer is
// set, may be a byte longer.
type other struct {
	text   *regexp.Regexp
	longer bool
	newer  bool // not all versions of LLVM do
	why    string
}

var otherwise = []other{
	{text: regexp.MustCompile(`^(add|or|adc|sbb|and|sub|xor|cmp|mov) \w+, [a-z]\w+$`),
		why: "the direction between two registers"},
	{text: regexp.MustCompile(`^(add|or|adc|sbb|and|sub|xor|cmp|test) (al|eax|rax), -?\d+$|^xchg .*[er]ax`), longer: true,
		why: "the accumulator's opcode"},
	{text: regexp.MustCompile(`^vmov(ups|upd|aps|apd|dqu|ss|sd) ([xy]mm\d+(, )?)+$`), longer: true,
		why: "VEX: the store's opcode, so that the register of 8 to 15 is in ModRM.reg"},
	{text: regexp.MustCompile(`^({evex} )?vmovq xmm\d+, qword ptr`), longer: true,
		why: "the opcode for vectors alone"},
	{text: regexp.MustCompile(`^v[a-z]+ [xy]mm\d+, [xy]mm[0-7], [xy]mm(8|9|1\d)(, \d+)?$`), longer: true, newer: true,
		why: "VEX: the sources of a commutative instruction swapped, so that the one of 8 to 15 is in vvvv"},
}

// agree compares instructions with LLVM's assembler: the bytes are equal or, in the listed cases,
// mean the same to its disassembler. It returns how often each listed case was used.
func agree(t *testing.T, list []encoded) (used []int) {
	lines := make([]string, len(list))
	for n, c := range list {
		lines[n] = c.text
	}
	theirs := assemble(t, lines)
	var texts []string
	var first, second [][]byte
	for n, c := range list {
		if !bytes.Equal(c.code, theirs[n]) && assert.NotNil(t, theirs[n], "%s is refused", c.text) {
			texts, first, second = append(texts, c.text), append(first, c.code), append(second, theirs[n])
		}
	}
	a, b := disassemble(t, first), disassemble(t, second)
	used = make([]int, len(otherwise))
	for n, text := range texts {
		if a[n] != text { // LLVM may have swapped the operands
			assert.Equal(t, b[n], a[n], "%s: % x, LLVM: % x", text, first[n], second[n])
		}
		k := slices.IndexFunc(otherwise, func(o other) bool {
			more := len(first[n]) - len(second[n])
			return o.text.MatchString(text) && (more == 0 || o.longer && more == 1)
		})
		if assert.NotEqual(t, -1, k, "%s: % x, LLVM: % x", text, first[n], second[n]) {
			used[k]++
		}
	}
	return used
}

// TestLLVM compares every case with LLVM's assembler.
func TestLLVM(t *testing.T) {
	forms := allCases(t)
	var list []encoded
	for _, f := range forms {
		list = append(list, f.cases...)
	}
	used := agree(t, list)
	t.Logf("%d Ops, %d with their encodings, %d instructions", opCount, len(forms), len(list))
	for k, o := range otherwise {
		t.Logf("%d otherwise: %s", used[k], o.why)
		assert.True(t, o.newer || used[k] > 0, "no case: %s", o.why)
	}
}
