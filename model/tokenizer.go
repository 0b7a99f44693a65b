package model

import (
	"fmt"
	"path/filepath"

	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/model/gguf"
	"github.com/puremetal/puremetal/model/tokenizer"
)

// Tokenizer returns the model's tokenizer: that of a GGUF file, or of tokenizer.json beside
// safetensors.
func (m *Model) Tokenizer() (*tokenizer.Tokenizer, error) {
	if f := m.source.gguf; f != nil {
		return tokenizer.FromGGUF(f)
	}
	return ReadTokenizer(m.source.name)
}

// ReadTokenizer reads the tokenizer of a model's file without the model: from the metadata of a
// GGUF file, from a tokenizer.json, or from the one beside another file.
func ReadTokenizer(file string) (*tokenizer.Tokenizer, error) {
	if filepath.Ext(file) != ".json" {
		kind, err := KindOf(file)
		if err != nil {
			return nil, err
		}
		if kind == "gguf" {
			f, err := gguf.Open(file)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			return tokenizer.FromGGUF(f)
		}
	}
	if filepath.Base(file) != tokenizerFile {
		file = filepath.Join(filepath.Dir(file), tokenizerFile)
	}
	text, err := document.Vocabulary.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t, err := tokenizer.FromJSON(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

const tokenizerFile = "tokenizer.json"
