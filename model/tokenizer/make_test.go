package tokenizer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/model/gguf"
	"github.com/puremetal/puremetal/model/tokenizer"
)

// keys are metadata of a tokenizer, without what all keys begin with.
type keys map[string]any

// file returns a GGUF file with metadata and nothing else.
func file(t testing.TB, k keys) *gguf.File {
	var pairs []gguf.Pair
	for key, x := range k {
		if !strings.Contains(key, "general.") {
			key = "tokenizer.ggml." + key
		}
		v, err := gguf.NewValue(x)
		require.NoError(t, err, key)
		pairs = append(pairs, gguf.Pair{Key: key, Value: v})
	}
	var b bytes.Buffer
	require.NoError(t, gguf.Write(&b, pairs, nil))
	f, err := gguf.Parse("test.gguf", b.Bytes())
	require.NoError(t, err)
	return f
}

func fromKeys(t testing.TB, k keys) *tokenizer.Tokenizer {
	x, err := tokenizer.FromGGUF(file(t, k))
	require.NoError(t, err)
	return x
}

func fromJSON(t testing.TB, text string) *tokenizer.Tokenizer {
	x, err := tokenizer.FromJSON([]byte(text))
	require.NoError(t, err)
	return x
}

// with returns keys with others.
func (k keys) with(more keys) keys {
	all := keys{}
	for _, list := range []keys{k, more} {
		for key, x := range list {
			all[key] = x
			if x == nil {
				delete(all, key)
			}
		}
	}
	return all
}

// byteChar returns the character that byte-level vocabularies write for a byte.
func byteChar(b int) string {
	n := 0
	for i := range b {
		if !printable(i) {
			n++
		}
	}
	if printable(b) {
		return string(rune(b))
	}
	return string(rune(256 + n))
}

func printable(b int) bool { return b >= 33 && b <= 126 || b >= 161 && b != 173 }

// byteLevel returns keys of a byte-level vocabulary: the bytes, the results of merges and the
// special tokens given, which are control tokens if they begin with "<|".
func byteLevel(pre string, merges []string, special ...string) keys {
	var tokens []string
	var types []int32
	for b := range 256 {
		tokens, types = append(tokens, byteChar(b)), append(types, 1)
	}
	seen := map[string]bool{}
	for _, m := range merges {
		if text := strings.Replace(m, " ", "", 1); !seen[text] {
			seen[text] = true
			tokens, types = append(tokens, text), append(types, 1)
		}
	}
	for _, s := range special {
		kind := int32(4)
		if strings.HasPrefix(s, "<|") {
			kind = 3
		}
		tokens, types = append(tokens, s), append(types, kind)
	}
	return keys{"model": "gpt2", "pre": pre, "tokens": tokens, "token_type": types, "merges": merges,
		"bos_token_id": uint32(0), "eos_token_id": uint32(0)}
}

// sentences returns keys of a vocabulary of SentencePiece: pieces with scores, and all bytes.
func sentences(model string, pieces []string, scores []float32) keys {
	tokens, types, all := []string{"<unk>", "<s>", "</s>"}, []int32{2, 3, 3}, []float32{0, 0, 0}
	if model == "llama" {
		for b := range 256 {
			tokens, types, all = append(tokens, fmt.Sprintf("<0x%02X>", b)), append(types, 6), append(all, 0)
		}
	}
	for i, p := range pieces {
		tokens, types, all = append(tokens, p), append(types, 1), append(all, scores[i])
	}
	return keys{"model": model, "tokens": tokens, "token_type": types, "scores": all, "bos_token_id": uint32(1),
		"eos_token_id": uint32(2), "unknown_token_id": uint32(0)}
}

// texts returns the texts of tokens.
func texts(t *tokenizer.Tokenizer, ids []int32) []string {
	list := []string{}
	for _, id := range ids {
		token, _ := t.Token(id)
		list = append(list, token.Text)
	}
	return list
}

// randomText returns a text of some of the strings given.
func randomText(r *rand.Rand, n int, from ...string) string {
	var b strings.Builder
	for range r.IntN(n + 1) {
		b.WriteString(from[r.IntN(len(from))])
	}
	return b.String()
}

// hard are parts of texts that tokenizers have trouble with.
var hard = []string{" ", "  ", "\n", "\r\n", "\n\n\n", "\t", "\v", "\u00a0", "\u3000", "\u2028", "\u0085", "'s", "'S",
	"'ll", "'Ll", "'ſ", "’s", "hello", "Hello", "HELLO", "iPhone", "a", "A", "0", "12", "1234567", "３", "½", "Ⅷ", "中文",
	"かな", "가나다", "é", "e\u0301", "\u0301\u0301", "नि", "👩\u200d👧", "🇩🇪", "\ufeff", "!", "?!", "...", "(", "<", ">",
	"<|end|>", "<x>", "▁", "_", "$", "`", "/\n", "العربية", "İ", "ß", "ǅ", "\x00", "\x7f", "\u0378", "\ue000", "\xff",
	"\xe2\x82", "\xc0\x80", "\xed\xa0\x80", "\xf5", "\U0010ffff"}

// shared returns a file of the folder of models that all developers have, or skips the test.
func shared(t *testing.T, name string) string {
	dir := os.Getenv("PUREMETAL_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	path := filepath.Join(dir, "models", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("there is no models/%s in the folder that PUREMETAL_SHARED names, nor in ../shared", name)
	}
	return path
}

// object writes JSON.
func object(x any) string {
	b, err := json.Marshal(x)
	if err != nil {
		panic(err)
	}
	return string(b)
}
