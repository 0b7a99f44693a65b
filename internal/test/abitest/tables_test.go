package abitest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const kitchen = `{"framework": "Kitchen", "dylib": "/Kitchen", "sdk": "1", "schema": 1,
"classes": [
 {"name": "KTPot", "kind": "protocol", "super": null, "conforms": ["KTVessel"], "introduced": "13.0", "methods": [
  {"selector": "lid", "class_method": false, "encoding": "@@:", "returns_retained": false},
  {"selector": "full", "class_method": false, "encoding": "B@:", "encoding_x86_64": "c@:",
   "special": [{"at": "ret", "kind": "struct"}, {"at": 2, "kind": "float"}], "stack": {"arm64": [[2, 8, 24]]}}]},
 {"name": "KTVessel", "kind": "protocol", "conforms": [], "methods": [
  {"selector": "lid", "class_method": false, "encoding": "#@:"},
  {"selector": "wash", "class_method": false, "encoding": "v@:"}]},
 {"name": "KTWok", "kind": "class", "super": "KTPan", "conforms": ["KTPot"], "methods": [
  {"selector": "wok", "class_method": true, "encoding": "@@:"}]},
 {"name": "KTPan", "kind": "class", "super": "NSObject", "conforms": [], "methods": [
  {"selector": "hash", "class_method": false, "encoding": "i@:"}]}],
"enums": [{"name": "KTHeat", "encoding": "Q", "size": 8, "members": [{"name": "KTHeatMax", "value": 18446744073709551615}]}],
"structs": [{"name": "KTSize", "size": 8, "align": 4, "fields": [{"name": "w", "offset": 0}, {"name": "h", "offset": 4}]}],
"functions": [{"name": "KTOpen", "encoding": "@"}],
"constants": [{"name": "KTDomain", "symbol": true}, {"name": "KTDepth", "value": 3}, {"name": "KTMask", "value": [1, 2]}]}`

const pantry = `{"framework": "Pantry", "schema": 1, "classes": [
 {"name": "NSObject", "kind": "class", "methods": [{"selector": "hash", "class_method": false, "encoding": "Q@:"}]},
 {"name": "NSObject", "kind": "protocol", "methods": [{"selector": "class", "class_method": false, "encoding": "#@:"}]},
 {"name": "KTWok", "kind": "class", "category": true, "methods": [{"selector": "season", "class_method": false, "encoding": "v@:"}]}]}`

func tablesOf(t *testing.T, texts ...string) (*Tables, error) {
	t.Helper()
	dir := t.TempDir()
	for i, text := range texts {
		require.NoError(t, os.WriteFile(filepath.Join(dir, string(rune('a'+i))+".json"), []byte(text), 0o600))
	}
	return read(dir)
}

func TestMethodWalk(t *testing.T) {
	tables, err := tablesOf(t, kitchen, pantry)
	require.NoError(t, err)
	for _, c := range []struct {
		class, selector string
		classMethod     bool
		owner, encoding string
	}{
		{"KTPot", "lid", false, "KTPot", "@@:"},     // its own before the protocol it conforms to
		{"KTPot", "wash", false, "KTVessel", "v@:"}, // two protocols up
		{"KTWok", "wash", false, "KTVessel", "v@:"},
		{"KTWok", "hash", false, "KTPan", "i@:"}, // a superclass before the root
		{"KTPot", "hash", false, "NSObject", "Q@:"},
		{"KTPot", "class", false, "NSObject", "#@:"},
		{"KTWok", "season", false, "KTWok", "v@:"}, // from another table
		{"KTWok", "wok", true, "KTWok", "@@:"},
	} {
		m, owner := tables.Method(c.class, c.selector, c.classMethod)
		if assert.NotNil(t, m, "%s %s", c.class, c.selector) {
			assert.Equal(t, c.encoding, m.Encoding, "%s %s", c.class, c.selector)
			assert.Equal(t, c.owner, owner.Name)
		}
	}
	for _, c := range []struct {
		class, selector string
		classMethod     bool
	}{{"KTWok", "wok", false}, {"KTPan", "lid", false}, {"KTNothing", "hash", false}} {
		m, _ := tables.Method(c.class, c.selector, c.classMethod)
		assert.Nil(t, m, "%s %s", c.class, c.selector)
	}
}

func TestLineage(t *testing.T) {
	tables, err := tablesOf(t, kitchen, pantry)
	require.NoError(t, err)
	var names []string
	for _, c := range tables.Lineage("KTWok") {
		names = append(names, c.Kind+" "+c.Name)
	}
	assert.Equal(t, []string{"class KTWok", "class KTPan", "protocol KTPot", "class NSObject", "protocol KTVessel",
		"protocol NSObject"}, names)
	assert.Empty(t, tables.Lineage("KTNothing"))
}

func TestLookups(t *testing.T) {
	tables, err := tablesOf(t, kitchen, pantry)
	require.NoError(t, err)
	full, _ := tables.Method("KTPot", "full", false)
	require.NotNil(t, full)
	assert.Equal(t, "c@:", full.X86())
	assert.Equal(t, []Arg{{2, 8, 24}}, full.Stack["arm64"])
	assert.Len(t, full.Special, 2)
	lid, _ := tables.Method("KTPot", "lid", false)
	assert.Equal(t, "@@:", lid.X86())
	assert.Equal(t, "18446744073709551615", tables.Member("KTHeatMax").Value.String())
	assert.Equal(t, 4, tables.Struct("KTSize").Fields[1].Offset)
	assert.Equal(t, "13.0", tables.Class("KTPot").Introduced)
	assert.Equal(t, "class", tables.Class("NSObject").Kind)
	assert.Equal(t, "/Kitchen", tables.Framework("Kitchen").Dylib)
	assert.NotNil(t, tables.Enum("KTHeat"))
	assert.NotNil(t, tables.Function("KTOpen"))
	assert.JSONEq(t, "3", string(tables.Constant("KTDepth").Value))
	assert.Nil(t, tables.Struct("KTNothing"))
}

func TestReadErrors(t *testing.T) {
	_, err := tablesOf(t)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = tablesOf(t, `{"framework": "Kitchen", "schema": 2}`)
	assert.ErrorContains(t, err, "schema 2, this package reads 1")
	_, err = tablesOf(t, `{`)
	require.Error(t, err)
	assert.False(t, errors.Is(err, fs.ErrNotExist), "a broken table must fail the test, not skip it")
}

func TestFolder(t *testing.T) {
	t.Setenv("PUREMETAL_SHARED", filepath.Join("x", "y"))
	dir, err := folder()
	require.NoError(t, err)
	assert.Equal(t, filepath.Join("x", "y", "abi"), dir)

	t.Setenv("PUREMETAL_SHARED", "")
	dir, err = folder()
	require.NoError(t, err)
	root := filepath.Dir(filepath.Dir(filepath.Dir(dir)))
	assert.Equal(t, filepath.Join("shared", "abi"), filepath.Join(filepath.Base(filepath.Dir(dir)), filepath.Base(dir)))
	assert.DirExists(t, root)
}

// TestLoad reads the real tables where they are.
func TestLoad(t *testing.T) {
	tables := Load(t)
	m, owner := tables.Method("MTLBuffer", "label", false)
	require.NotNil(t, m)
	assert.Equal(t, "MTLResource", owner.Name)
	assert.Equal(t, 48, tables.Struct("MTLRegion").Size)
	assert.Equal(t, "48", tables.Member("MTLResourceStorageModeMemoryless").Value.String())
}
