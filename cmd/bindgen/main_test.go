package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/puremetal/puremetal/internal/bindgen"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func needKit(t *testing.T) {
	t.Helper()
	if _, err := bindgen.KitDir("."); err != nil {
		t.Skipf("darwinkit is not in the module cache: %v", err)
	}
}

func TestFlags(t *testing.T) {
	for want, args := range map[string][]string{
		`no bindings are configured for package "nope"`: {"-pkg", "nope"},
		`unexpected argument "x"`:                       {"x"},
		`-arch "mips": want arm64 or amd64`:             {"-arch", "mips"},
		"flag provided but not defined":                 {"-nope"},
	} {
		err := run(args, io.Discard, io.Discard)
		require.Error(t, err)
		assert.Contains(t, err.Error(), want)
	}
}

// TestWriteAndCheck: what was written is current, and a changed or missing file is named.
func TestWriteAndCheck(t *testing.T) {
	needKit(t)
	dir := t.TempDir()
	require.NoError(t, run([]string{"-out", dir}, io.Discard, io.Discard))
	require.NoError(t, run([]string{"-out", dir, "-check"}, io.Discard, io.Discard))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "zdevice.go"), []byte("package mtl\n"), 0o666))
	require.NoError(t, os.Remove(filepath.Join(dir, "zheap.go")))
	err := run([]string{"-out", dir, "-check"}, io.Discard, io.Discard)
	assert.ErrorContains(t, err, "zdevice.go, zheap.go (missing)")
}

func TestListings(t *testing.T) {
	needKit(t)
	var out bytes.Buffer
	require.NoError(t, run([]string{"-listing", "-arch", "amd64"}, &out, io.Discard))
	var list []bindgen.Listed
	require.NoError(t, json.Unmarshal(out.Bytes(), &list))
	assert.Greater(t, len(list), 1000)
	for _, l := range list {
		if l.Class == "MTLDevice" && l.Selector == "isHeadless" {
			assert.Equal(t, "c@:", l.Encoding, "BOOL is a char on x86_64")
		}
	}
	out.Reset()
	require.NoError(t, run([]string{"-structs"}, &out, io.Discard))
	var structs map[string]bindgen.Layout
	require.NoError(t, json.Unmarshal(out.Bytes(), &structs))
	assert.Equal(t, bindgen.Layout{Size: 48, Align: 8, Offsets: []int{0, 24}}, structs["MTLRegion"])
	out.Reset()
	require.NoError(t, run([]string{"-enums"}, &out, io.Discard))
	var enums map[string]uint64
	require.NoError(t, json.Unmarshal(out.Bytes(), &enums))
	assert.Equal(t, uint64(48), enums["MTLResourceStorageModeMemoryless"])
}
