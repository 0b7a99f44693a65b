package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/test/tinymodel"
	"github.com/puremetal/puremetal/model"
	"github.com/puremetal/puremetal/model/tokenizer"
)

// TestGenerate continues a text with a model whose tokens are bytes.
func TestGenerate(t *testing.T) {
	file := tinymodel.Write(t)
	var first, second bytes.Buffer
	require.NoError(t, run(t.Context(), &first, file, "Once", 12, 0))
	require.NoError(t, run(t.Context(), &second, file, "Once", 12, 0))
	assert.Equal(t, first.String(), second.String())
	words, err := model.ReadTokenizer(file)
	require.NoError(t, err)
	text := bytes.TrimSuffix(first.Bytes(), []byte("\n"))
	assert.Len(t, words.Encode(string(text), tokenizer.EncodeOptions{}), 12, "%q", text)
	err = run(t.Context(), &first, filepath.Join(t.TempDir(), "none.gguf"), "x", 1, 0)
	assert.ErrorIs(t, err, os.ErrNotExist, fmt.Sprint(err))
}
