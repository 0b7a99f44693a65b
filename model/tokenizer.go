package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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

// ReadChatTemplate returns the chat template of safetensors in a folder, and the file that has it:
// chat_template.jinja, or tokenizer_config.json, of which the one named default counts if there are
// several. The file is "" if there is neither, and the text if tokenizer_config.json has none.
func ReadChatTemplate(dir string) (text, file string, err error) {
	file = filepath.Join(dir, "chat_template.jinja")
	data, err := document.Config.ReadFile(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return string(data), file, err
	}
	file = filepath.Join(dir, "tokenizer_config.json")
	data, err = document.Vocabulary.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	var config struct {
		Template json.RawMessage `json:"chat_template"`
	}
	if err != nil {
		return "", file, err
	}
	if err := document.Vocabulary.JSON(data, &config); err != nil {
		return "", file, fmt.Errorf("%s: %w", file, err)
	}
	if json.Unmarshal(config.Template, &text) == nil {
		return text, file, nil
	}
	var named []struct{ Name, Template string }
	if json.Unmarshal(config.Template, &named) == nil {
		for _, x := range named {
			if x.Name == "default" {
				return x.Template, file, nil
			}
		}
	}
	return "", file, nil
}
