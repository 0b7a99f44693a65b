package values

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func goldenFile(name string) string {
	return filepath.Join("..", "..", "..", "testdata", "msl", "values", name+".gz")
}

// writeGoldens writes a recording: a line for each output, with a name and its bytes in
// hexadecimal.
func writeGoldens(t *testing.T, name string, goldens map[string][][]byte) {
	var text bytes.Buffer
	for _, key := range slices.Sorted(maps.Keys(goldens)) {
		for _, data := range goldens[key] {
			fmt.Fprintf(&text, "%s %x\n", key, data)
		}
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	require.NoError(t, err)
	_, err = z.Write(text.Bytes())
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.NoError(t, os.MkdirAll(filepath.Dir(goldenFile(name)), 0o755))
	require.NoError(t, os.WriteFile(goldenFile(name), packed.Bytes(), 0o644))
}

func readGoldens(t *testing.T, name string) map[string][][]byte {
	file, err := os.Open(goldenFile(name))
	require.NoError(t, err)
	defer file.Close()
	z, err := gzip.NewReader(file)
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	goldens := map[string][][]byte{}
	for line := range strings.Lines(string(text)) {
		key, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		data, err := hex.DecodeString(digits)
		require.NoError(t, err)
		goldens[key] = append(goldens[key], data)
	}
	return goldens
}
