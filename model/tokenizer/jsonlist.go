package tokenizer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// This file reads the two long lists of a tokenizer.json, which package encoding/json takes seconds
// for. That package has checked the syntax.

// jsonList is what is left of a list or an object.
type jsonList struct{ text []byte }

// skip skips blanks and the given characters.
func (l *jsonList) skip(also string) { l.text = bytes.TrimLeft(l.text, " \t\r\n"+also) }

// str reads a string.
func (l *jsonList) str() (string, error) {
	l.skip("")
	if len(l.text) == 0 || l.text[0] != '"' {
		return "", fmt.Errorf("want a string at %.20q: %w", l.text, ErrVocabulary)
	}
	end, plain := 1, true
	for ; end < len(l.text) && l.text[end] != '"'; end++ {
		if l.text[end] == '\\' {
			end++
			plain = false
		}
	}
	if end >= len(l.text) {
		return "", fmt.Errorf("a string without an end: %w", ErrVocabulary)
	}
	raw := l.text[:end+1]
	l.text = l.text[end+1:]
	if plain && utf8.Valid(raw) { // the package replaces what is not UTF-8
		return string(raw[1:end]), nil
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err
}

// eachEntry calls f for the entries of an object whose values are numbers.
func eachEntry(object []byte, f func(key string, value []byte) error) error {
	l := jsonList{object}
	if l.skip(""); len(l.text) == 0 || l.text[0] != '{' {
		return fmt.Errorf("vocab is %.20q, want an object: %w", object, ErrVocabulary)
	}
	for l.skip("{,"); len(l.text) > 0 && l.text[0] != '}'; l.skip(",") {
		key, err := l.str()
		if err != nil {
			return err
		}
		l.skip(":")
		end := bytes.IndexAny(l.text, ",} \t\r\n")
		if end < 0 {
			return fmt.Errorf("the value of %.40q does not end: %w", key, ErrVocabulary)
		}
		value := l.text[:end]
		l.text = l.text[end:]
		if err := f(key, value); err != nil {
			return err
		}
	}
	return nil
}

// readMerges reads a list of merges: "a b" or ["a", "b"].
func readMerges(list []byte) (merges [][2]string, err error) {
	l := jsonList{list}
	if l.skip(""); len(l.text) == 0 || l.text[0] != '[' {
		return nil, fmt.Errorf("merges is %.20q, want a list: %w", list, ErrVocabulary)
	}
	l.text = l.text[1:]
	for l.skip(","); len(l.text) > 0 && l.text[0] != ']'; l.skip(",") {
		var pair [2]string
		if len(merges) == maxMerges {
			return nil, fmt.Errorf("more than %d merges: %w", maxMerges, ErrVocabulary)
		}
		if l.text[0] == '[' {
			l.text = l.text[1:]
			if pair[0], err = l.str(); err != nil {
				return nil, err
			}
			l.skip(",")
			if pair[1], err = l.str(); err != nil {
				return nil, err
			}
			if l.skip(""); len(l.text) == 0 || l.text[0] != ']' {
				return nil, fmt.Errorf("merge %d has more than two strings: %w", len(merges), ErrVocabulary)
			}
			l.text = l.text[1:]
		} else {
			entry, err := l.str()
			if err != nil {
				return nil, err
			}
			var ok bool
			if pair[0], pair[1], ok = strings.Cut(entry, " "); !ok {
				return nil, fmt.Errorf("merge %d, %.40q, has no space between two strings: %w", len(merges), entry,
					ErrVocabulary)
			}
		}
		merges = append(merges, pair)
	}
	return merges, nil
}
