package ir_test

import (
	"go/constant"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

func TestEvalCondition(t *testing.T) {
	values := map[int]constant.Value{1: constant.MakeBool(true), 2: constant.MakeBool(false), 3: constant.MakeInt64(7), 4: constant.MakeFloat64(0.5)}
	value := func(i int) (constant.Value, bool) { v, ok := values[i]; return v, ok }
	for cond, want := range map[string]bool{
		"fc1": true, "!fc1": false, "fc1 && fc2": false, "fc1 || fc9": true, "fc2 && fc9": false, "(fc3 == 7) && !fc2": true,
		"fc3 / 2 == 3": true, "fc3 % 4 == 3": true, "fc4 < 1": true, "defined(fc9)": false, "defined(fc3)": true, "fc3": true, "fc3 & 8 != 0": false, "-fc3 < 0": true,
	} {
		got, err := ir.EvalCondition(cond, value)
		require.NoError(t, err, cond)
		assert.Equal(t, want, got, cond)
	}
	for _, cond := range []string{"fc9", "", "x", "fc1 + fc3", "fc3 / 0", "f(fc1)", "fc1 ==", "fc3 % (fc3 - 7)"} {
		_, err := ir.EvalCondition(cond, value)
		assert.Error(t, err, cond)
	}
}

func TestConditionVerified(t *testing.T) {
	build := func(when string) error {
		m := &ir.Module{}
		f := m.NewFunc("k")
		f.Constants = []ir.FunctionConstant{{Name: "c", Index: 3, Type: "i1"}}
		f.Args = []ir.Arg{{Kind: ir.ArgBuffer, Space: "device", When: when}}
		ir.NewBuilder(f).Return()
		return m.Verify()
	}
	require.NoError(t, build("!fc3 && defined(fc3)"))
	require.ErrorContains(t, build("fc4"), `condition "fc4" is not valid: "fc4" is no function constant`)
	require.ErrorContains(t, build("fc3 +"), "is not valid")
}
